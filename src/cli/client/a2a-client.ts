import {
  AgentCard,
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  Message,
  SendMessageRequest,
  Task,
} from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import type * as A2a from '../../domain/a2a.ts';
import { toCommandError } from './to-command-error.ts';

/** The A2A operations that the command uses, in ProtoJSON. */
export interface A2aClient {
  /** Returns at once with the task as it stands, or with the Message that answers instead of one. */
  send(message: A2a.Message): Promise<{ task: A2a.Task } | { message: A2a.Message }>;
  getTask(taskId: string): Promise<A2a.Task>;
  cancelTask(taskId: string): Promise<A2a.Task>;
  listTasks(request: ListRequest): Promise<TaskPage>;
}

export interface ListRequest {
  readonly pageSize: number;
  readonly pageToken: string;
  readonly contextId?: string;
  readonly status?: A2a.TaskState;
  readonly statusTimestampAfter?: string;
}

export interface TaskPage {
  readonly tasks: readonly A2a.Task[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
  readonly totalSize: number;
}

/**
 * The SDK's client, pointed at `<url>/a2a` as it is. The card is not asked: behind a tunnel or on another port it
 * names an address that only others can reach.
 */
export async function createA2aClient({
  url,
  fetchImpl,
}: {
  url: string;
  fetchImpl: typeof fetch;
}): Promise<A2aClient> {
  const card = AgentCard.fromJSON({
    name: 'longhaul',
    supportedInterfaces: [{ url: a2aEndpoint(url), protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: true },
  });
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- the SDK declares the class, and exports no value of it
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    preferredTransports: ['JSONRPC'],
  });
  const client = await new ClientFactory(options).createFromAgentCard(card);

  return {
    async send(message) {
      const result = await called(() =>
        client.sendMessage(SendMessageRequest.fromJSON({ message, configuration: { returnImmediately: true } })),
      );
      return 'status' in result
        ? { task: Task.toJSON(result) as A2a.Task }
        : { message: Message.toJSON(result) as A2a.Message };
    },
    async getTask(taskId) {
      return Task.toJSON(await called(() => client.getTask(GetTaskRequest.fromJSON({ id: taskId })))) as A2a.Task;
    },
    async listTasks(request) {
      const page = await called(() => client.listTasks(ListTasksRequest.fromJSON(request)));
      return { ...page, tasks: page.tasks.map((task) => Task.toJSON(task) as A2a.Task) };
    },
    async cancelTask(taskId) {
      return Task.toJSON(await called(() => client.cancelTask(CancelTaskRequest.fromJSON({ id: taskId })))) as A2a.Task;
    },
  };
}

export function a2aEndpoint(url: string): string {
  return `${url.replace(/\/+$/, '')}/a2a`;
}

async function called<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw toCommandError(error);
  }
}
