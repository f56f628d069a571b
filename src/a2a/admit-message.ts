import type { Message } from '../domain/a2a.ts';
import type { Publication } from '../domain/pipeline.ts';
import type { StartTask } from '../dispatch/start-task.ts';
import type { TaskWorkflows } from '../temporal/tasks/task-workflows.ts';
import type { Call } from './call.ts';
import { type AdmittedMessage, continueTask } from './continue-task.ts';
import { requireOwnTask } from './own-task.ts';

/** The message has begun a task, or the task that it names has taken it: shared by both ways to send. */
export type AdmitMessage = (message: Message, call: Call) => Promise<AdmittedMessage>;

export function createAdmitMessage({
  tasks,
  startTask,
  publications,
}: {
  tasks: TaskWorkflows;
  startTask: StartTask;
  publications: readonly Publication[];
}): AdmitMessage {
  return async function admitMessage(message, call) {
    for (const id of new Set(message.referenceTaskIds)) await requireOwnTask(tasks, id, call);
    if (message.taskId !== undefined) {
      return continueTask({ tasks, publications }, { ...message, taskId: message.taskId }, call);
    }
    const idempotencyKey = call.idempotencyKey ?? idempotencyKeyOf(message);
    const { taskId, isNew, view } = await startTask({
      caller: call.caller,
      ...(call.tenant !== undefined && { tenant: call.tenant }),
      message,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    return {
      taskId,
      receiptId: message.messageId,
      isTaken: true,
      isNew,
      progressed: {},
      ...(view !== undefined && { view }),
    };
  };
}

function idempotencyKeyOf({ metadata = {} }: Message): string | undefined {
  const entry = Object.entries(metadata).find(([name]) => name.toLowerCase() === 'idempotency-key');
  return typeof entry?.[1] === 'string' && entry[1] !== '' ? entry[1] : undefined;
}
