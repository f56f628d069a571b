import * as proto from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { toProto } from '../a2a/sdk-handler/to-proto.ts';

/** Between the bytes of one method and what a `Method` takes and gives. */
export interface Codec {
  /** @throws what is wrong with the bytes */
  readonly decode: (request: Buffer) => unknown;
  readonly encode: (answer: unknown) => Buffer;
}

type Name = keyof typeof A2AService;

interface Definition {
  readonly requestDeserialize: (bytes: Buffer) => unknown;
  readonly responseSerialize: (message: never) => Buffer;
}

interface Messages {
  readonly request: { toJSON(message: never): unknown };
  readonly answer: { fromJSON(json: unknown): unknown };
}

const MESSAGES: Readonly<Record<Name, Messages>> = {
  sendMessage: { request: proto.SendMessageRequest, answer: proto.SendMessageResponse },
  sendStreamingMessage: { request: proto.SendMessageRequest, answer: proto.StreamResponse },
  getTask: { request: proto.GetTaskRequest, answer: proto.Task },
  listTasks: { request: proto.ListTasksRequest, answer: proto.ListTasksResponse },
  cancelTask: { request: proto.CancelTaskRequest, answer: proto.Task },
  subscribeToTask: { request: proto.SubscribeToTaskRequest, answer: proto.StreamResponse },
  createTaskPushNotificationConfig: {
    request: proto.TaskPushNotificationConfig,
    answer: proto.TaskPushNotificationConfig,
  },
  getTaskPushNotificationConfig: {
    request: proto.GetTaskPushNotificationConfigRequest,
    answer: proto.TaskPushNotificationConfig,
  },
  listTaskPushNotificationConfigs: {
    request: proto.ListTaskPushNotificationConfigsRequest,
    answer: proto.ListTaskPushNotificationConfigsResponse,
  },
  deleteTaskPushNotificationConfig: {
    request: proto.DeleteTaskPushNotificationConfigRequest,
    answer: { fromJSON: () => ({}) },
  },
  getExtendedAgentCard: { request: proto.GetExtendedAgentCardRequest, answer: proto.AgentCard },
};

/** A2A 1.0: ProtoJSON on our side. By the names of the service's definition. */
export const CODECS: ReadonlyMap<string, Codec> = new Map(
  Object.entries(MESSAGES).map(([name, { request, answer }]) => {
    const { requestDeserialize, responseSerialize } = A2AService[name as Name] as Definition;
    const codec: Codec = {
      decode: (bytes) => request.toJSON(requestDeserialize(bytes) as never),
      encode: (json) => responseSerialize(toProto(answer, json) as never),
    };
    return [name, codec];
  }),
);
