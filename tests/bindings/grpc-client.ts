/** What a client in gRPC's own terms sees; nothing here is the product's code. */
import * as proto from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import {
  type Client,
  type ClientReadableStream,
  credentials,
  makeGenericClientConstructor,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import protobuf from 'protobufjs';

/** `google/rpc/status.proto` and `google/rpc/error_details.proto`, as far as they are used. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
  message BadRequest { repeated FieldViolation field_violations = 1; }
  message FieldViolation { string field = 1; string description = 2; }
  message Duration { int64 seconds = 1; int32 nanos = 2; }
  message RetryInfo { Duration retry_delay = 1; }
`);

interface EncodedStatus {
  readonly code: number;
  readonly message: string;
  readonly details: readonly { readonly typeUrl: string; readonly value: Buffer }[];
}

export interface Detail {
  readonly type: string;
  readonly reason?: string;
  readonly domain?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly fieldViolations?: readonly { readonly field: string; readonly description: string }[];
  readonly retryDelay?: { readonly seconds: number };
}

/** Of `grpc-status-details-bin`. */
export function rpcStatusOf(error: ServiceError): {
  readonly code: number;
  readonly message: string;
  readonly details: readonly Detail[];
} {
  const [bytes] = error.metadata.get('grpc-status-details-bin');
  if (!Buffer.isBuffer(bytes)) return { code: error.code, message: error.details, details: [] };
  const Status = root.lookupType('Status');
  const status = Status.toObject(Status.decode(bytes), { defaults: true }) as EncodedStatus;
  return {
    code: status.code,
    message: status.message,
    details: status.details.map(({ typeUrl, value }) => {
      const type = root.lookupType(typeUrl.replace(/^.*\./, ''));
      return { ...(type.toObject(type.decode(value), { longs: Number }) as object), type: typeUrl };
    }),
  };
}

interface Codec {
  fromJSON(json: unknown): unknown;
  toJSON(message: never): unknown;
}

const REQUESTS: Readonly<Record<string, Codec>> = {
  SendMessage: proto.SendMessageRequest,
  SendStreamingMessage: proto.SendMessageRequest,
  GetTask: proto.GetTaskRequest,
  ListTasks: proto.ListTasksRequest,
  CancelTask: proto.CancelTaskRequest,
  SubscribeToTask: proto.SubscribeToTaskRequest,
  CreateTaskPushNotificationConfig: proto.TaskPushNotificationConfig,
  GetTaskPushNotificationConfig: proto.GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigs: proto.ListTaskPushNotificationConfigsRequest,
  DeleteTaskPushNotificationConfig: proto.DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCard: proto.GetExtendedAgentCardRequest,
};

const ANSWERS: Readonly<Record<string, { toJSON(message: never): unknown }>> = {
  SendMessage: proto.SendMessageResponse,
  SendStreamingMessage: proto.StreamResponse,
  GetTask: proto.Task,
  ListTasks: {
    // The SDK's ProtoJSON leaves out what is as it is by default; in bytes nobody can tell.
    toJSON: (message) => ({
      tasks: [],
      nextPageToken: '',
      pageSize: 0,
      totalSize: 0,
      ...(proto.ListTasksResponse.toJSON(message) as object),
    }),
  },
  CancelTask: proto.Task,
  SubscribeToTask: proto.StreamResponse,
  CreateTaskPushNotificationConfig: proto.TaskPushNotificationConfig,
  GetTaskPushNotificationConfig: proto.TaskPushNotificationConfig,
  ListTaskPushNotificationConfigs: proto.ListTaskPushNotificationConfigsResponse,
  DeleteTaskPushNotificationConfig: { toJSON: () => ({}) },
  GetExtendedAgentCard: proto.AgentCard,
};

const A2AClient = makeGenericClientConstructor(A2AService, 'A2AService');

type AnyMethod = (
  request: unknown,
  metadata: Metadata,
  then?: ((error: ServiceError | null, answer: unknown) => void) | { readonly deadline: number },
) => ClientReadableStream<unknown>;

export const connectGrpc = (address: string): Client => new A2AClient(address, credentials.createInsecure());

/** By its name in the specification. */
export function grpcMethod(client: Client, name: string): AnyMethod {
  const methods = client as unknown as Readonly<Record<string, AnyMethod>>;
  return methods[name.charAt(0).toLowerCase() + name.slice(1)]!.bind(client);
}

export function toMetadata(headers: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== '' && name !== 'Content-Type') metadata.set(name, value);
  }
  return metadata;
}

export const toRequest = (method: string, params: unknown): unknown => REQUESTS[method]!.fromJSON(params);
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into whatever came
export const toAnswer = (method: string, message: unknown): any => ANSWERS[method]!.toJSON(message as never);
