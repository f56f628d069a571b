import type { ServiceConfiguration } from '../../config/configuration.ts';
import type { ListCursors } from '../../contract/list-cursor.ts';
import type { WebhookRegistry } from '../../push/webhook-registry.ts';
import type { StartTask } from '../../dispatch/start-task.ts';
import type { TaskWorkflows } from '../../temporal/tasks/task-workflows.ts';
import { createAdmitCall } from '../admit-call.ts';
import { createAdmitMessage } from '../admit-message.ts';
import type { CardBuilder } from '../agent-card.ts';
import type { Call } from '../call.ts';
import { createTaskProjection } from '../project-task.ts';
import type { StreamFrame } from '../stream-frame.ts';
import { createCancelTask } from './cancel-task.ts';
import { createCreateTaskPushNotificationConfig } from './create-task-push-notification-config.ts';
import { createDeleteTaskPushNotificationConfig } from './delete-task-push-notification-config.ts';
import { createGetExtendedAgentCard } from './get-extended-agent-card.ts';
import { createGetTask } from './get-task.ts';
import { createGetTaskPushNotificationConfig } from './get-task-push-notification-config.ts';
import { createListTaskPushNotificationConfigs } from './list-task-push-notification-configs.ts';
import { createListTasks } from './list-tasks.ts';
import { createSendMessage } from './send-message.ts';
import { createSendStreamingMessage } from './send-streaming-message.ts';
import { createSubscribeToTask } from './subscribe-to-task.ts';

export interface OperationDependencies {
  readonly tasks: TaskWorkflows;
  readonly startTask: StartTask;
  readonly cards: CardBuilder;
  readonly webhooks: WebhookRegistry;
  readonly service: ServiceConfiguration;
  /** Those of every replica are one another's. */
  readonly listCursors: ListCursors;
}

/** The register: every operation of A2A 1.0 §3.1, in ProtoJSON. Each binding encodes what they take and give. */
export function createOperations({ tasks, startTask, cards, webhooks, service, listCursors }: OperationDependencies) {
  const projection = createTaskProjection(service.publicUrl);
  const admitMessage = createAdmitMessage({ tasks, startTask, publications: service.publications });
  const { blockingMaxMs } = service.limits;
  const admitCall = createAdmitCall(service);

  function unary<Request, Answer>(operation: (request: Request, call: Call) => Promise<Answer>): typeof operation {
    return async (request, call) => {
      admitCall(call);
      return operation(request, call);
    };
  }

  function stream<Request>(operation: StreamOperation<Request>): StreamOperation<Request> {
    return async function* (request, call) {
      admitCall(call);
      yield* operation(request, call);
    };
  }

  return {
    sendMessage: unary(createSendMessage({ tasks, webhooks, admitMessage, projection, blockingMaxMs })),
    sendStreamingMessage: stream(createSendStreamingMessage({ tasks, webhooks, admitMessage, projection })),
    getTask: unary(createGetTask({ tasks, projection })),
    listTasks: unary(createListTasks({ tasks, projection, cursors: listCursors })),
    cancelTask: unary(createCancelTask({ tasks, projection })),
    subscribeToTask: stream(createSubscribeToTask({ tasks, projection })),
    createTaskPushNotificationConfig: unary(createCreateTaskPushNotificationConfig({ tasks, webhooks })),
    getTaskPushNotificationConfig: unary(createGetTaskPushNotificationConfig({ tasks, webhooks })),
    listTaskPushNotificationConfigs: unary(createListTaskPushNotificationConfigs({ tasks, webhooks })),
    deleteTaskPushNotificationConfig: unary(createDeleteTaskPushNotificationConfig({ tasks, webhooks })),
    // Which extensions are required is told here, so none is asked for.
    getExtendedAgentCard: createGetExtendedAgentCard({ cards }),
  };
}

type StreamOperation<Request> = (request: Request, call: Call) => AsyncGenerator<StreamFrame, void>;

export type Operations = ReturnType<typeof createOperations>;
