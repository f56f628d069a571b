import * as proto from '@a2a-js/sdk';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { Failure } from '../../domain/failure.ts';
import type { CardBuilder } from '../agent-card.ts';
import type { Call } from '../call.ts';
import type { Operations } from '../operations/operations.ts';
import {
  parseCreatePushConfig,
  parseGetTaskRequest,
  parseListPushConfigs,
  parseListTasksRequest,
  parsePushConfigName,
  parseSendRequest,
  parseTaskRequest,
} from '../requests.ts';
import type { StreamFrame } from '../stream-frame.ts';
import { type Passage, passageOf } from './passage.ts';
import { toProto } from './to-proto.ts';
import { toSdkError } from './to-sdk-error.ts';

/**
 * The operations, as the SDK's transports want them: its objects on their side, ProtoJSON on ours, and every request checked by
 * the same code as on our own bindings. Its contexts are those of `contextOf`.
 */
export function createSdkHandler({
  operations,
  cards,
}: {
  operations: Operations;
  cards: CardBuilder;
}): A2ARequestHandler {
  return {
    async getAgentCard() {
      return proto.AgentCard.fromJSON(await cards.cardFor(undefined));
    },
    getAuthenticatedExtendedAgentCard: (_request, context) =>
      pass(context, undefined, async (call) => {
        const { signatures, ...card } = await operations.getExtendedAgentCard({}, call);
        // A signature is one of the 1.0 form.
        const isSigned = signatures !== undefined && call.wireVersion !== '0.3';
        return proto.AgentCard.fromJSON(isSigned ? { ...card, signatures } : card);
      }),
    sendMessage: (request, context) =>
      pass(context, request.tenant, async (call) => {
        const answer = await operations.sendMessage(parseSendRequest(proto.SendMessageRequest.toJSON(request)), call);
        return 'task' in answer ? toProto(proto.Task, answer.task) : toProto(proto.Message, answer.message);
      }),
    sendMessageStream: (request, context) =>
      passStream(context, request.tenant, (call) =>
        operations.sendStreamingMessage(parseSendRequest(proto.SendMessageRequest.toJSON(request)), call),
      ),
    getTask: (request, context) =>
      pass(context, request.tenant, async (call) =>
        toProto(proto.Task, await operations.getTask(parseGetTaskRequest(proto.GetTaskRequest.toJSON(request)), call)),
      ),
    cancelTask: (request, context) =>
      pass(context, request.tenant, async (call) =>
        toProto(
          proto.Task,
          await operations.cancelTask(parseTaskRequest(proto.CancelTaskRequest.toJSON(request)), call),
        ),
      ),
    listTasks: (request, context) =>
      pass(context, request.tenant, async (call) =>
        toProto(
          proto.ListTasksResponse,
          await operations.listTasks(parseListTasksRequest(proto.ListTasksRequest.toJSON(request)), call),
        ),
      ),
    resubscribe: (request, context) =>
      passStream(context, request.tenant, (call) =>
        operations.subscribeToTask(parseTaskRequest(proto.SubscribeToTaskRequest.toJSON(request)), call),
      ),
    createTaskPushNotificationConfig: (request, context) =>
      pass(context, request.tenant, async (call) =>
        proto.TaskPushNotificationConfig.fromJSON(
          await operations.createTaskPushNotificationConfig(
            parseCreatePushConfig(proto.TaskPushNotificationConfig.toJSON(request)),
            call,
          ),
        ),
      ),
    getTaskPushNotificationConfig: (request, context) =>
      pass(context, request.tenant, async (call) => {
        const named = proto.GetTaskPushNotificationConfigRequest.toJSON(request);
        const isUnnamed = request.id === '' && call.wireVersion === '0.3';
        return proto.TaskPushNotificationConfig.fromJSON(
          isUnnamed
            ? await firstConfig(named, call)
            : await operations.getTaskPushNotificationConfig(parsePushConfigName(named), call),
        );
      }),
    listTaskPushNotificationConfigs: (request, context) =>
      pass(context, request.tenant, async (call) =>
        proto.ListTaskPushNotificationConfigsResponse.fromJSON(
          await operations.listTaskPushNotificationConfigs(
            parseListPushConfigs(proto.ListTaskPushNotificationConfigsRequest.toJSON(request)),
            call,
          ),
        ),
      ),
    deleteTaskPushNotificationConfig: (request, context) =>
      pass(context, request.tenant, async (call) => {
        const named = parsePushConfigName(proto.DeleteTaskPushNotificationConfigRequest.toJSON(request));
        await operations.deleteTaskPushNotificationConfig(named, call);
      }),
  };

  /** In 0.3 a request may name the task alone. */
  async function firstConfig(params: unknown, call: Call) {
    const { configs } = await operations.listTaskPushNotificationConfigs(parseListPushConfigs(params), call);
    const [first] = configs;
    if (first === undefined) throw new Failure('task-not-found', 'Push notification configuration not found');
    return first;
  }
}

async function pass<Answer>(
  context: ServerCallContext,
  tenant: string | undefined,
  operation: (call: Call) => Promise<Answer>,
): Promise<Answer> {
  const passage = passageOf(context);
  passage.isEntered = true;
  try {
    return await operation(callOf(passage, tenant));
  } catch (error) {
    passage.failure = error;
    throw toSdkError(error);
  }
}

async function* passStream(
  context: ServerCallContext,
  tenant: string | undefined,
  operation: (call: Call) => AsyncGenerator<StreamFrame, void>,
): AsyncGenerator<proto.StreamResponse, void, undefined> {
  const passage = passageOf(context);
  passage.isEntered = true;
  try {
    for await (const frame of operation(callOf(passage, tenant))) {
      await passage.onFrame?.(frame);
      if (frame.event !== undefined) yield toProto(proto.StreamResponse, frame.event);
    }
  } catch (error) {
    passage.failure = error;
    throw toSdkError(error);
  }
}

/** The field `tenant` of the request; empty is none. */
function callOf({ call }: Passage, tenant: string | undefined): Call {
  return tenant === undefined || tenant === '' ? call : { ...call, tenant };
}
