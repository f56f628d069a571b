import { deriveKey } from '../../auth/derived-key.ts';
import type { ServiceConfiguration } from '../../config/configuration.ts';
import { createListCursors } from '../../contract/list-cursor.ts';
import type { StartTask } from '../../dispatch/start-task.ts';
import type { TaskWorkflows } from '../../temporal/tasks/task-workflows.ts';
import { createAdmitMessage } from '../admit-message.ts';
import type { CardBuilder } from '../agent-card.ts';
import { createTaskProjection } from '../project-task.ts';
import { createCancelTask } from './cancel-task.ts';
import { createGetExtendedAgentCard } from './get-extended-agent-card.ts';
import { createGetTask } from './get-task.ts';
import { createListTasks } from './list-tasks.ts';
import { createPushNotificationConfigs } from './push-notification-configs.ts';
import { createSendMessage } from './send-message.ts';
import { createSendStreamingMessage } from './send-streaming-message.ts';
import { createSubscribeToTask } from './subscribe-to-task.ts';

export interface OperationDependencies {
  readonly tasks: TaskWorkflows;
  readonly startTask: StartTask;
  readonly cards: CardBuilder;
  readonly service: ServiceConfiguration;
  /** Shared by all replicas; what is signed or encrypted has a key derived from it. */
  readonly secret: string;
}

/** The register: every operation of A2A 1.0 §3.1, in ProtoJSON. Each binding encodes what they take and give. */
export function createOperations({ tasks, startTask, cards, service, secret }: OperationDependencies) {
  const projection = createTaskProjection(service.publicUrl);
  const admitMessage = createAdmitMessage({ tasks, startTask });
  const { blockingMaxMs } = service.limits;
  return {
    sendMessage: createSendMessage({ tasks, admitMessage, projection, blockingMaxMs }),
    sendStreamingMessage: createSendStreamingMessage({ tasks, admitMessage, projection }),
    getTask: createGetTask({ tasks, projection }),
    listTasks: createListTasks({ tasks, projection, cursors: createListCursors(deriveKey(secret, 'list-cursor')) }),
    cancelTask: createCancelTask({ tasks, projection }),
    subscribeToTask: createSubscribeToTask({ tasks, projection }),
    pushNotificationConfigs: createPushNotificationConfigs(),
    getExtendedAgentCard: createGetExtendedAgentCard({ cards }),
  };
}

export type Operations = ReturnType<typeof createOperations>;
