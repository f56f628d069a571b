import type { SendRequest } from '../../contract/message.ts';
import type { Message, Task } from '../../domain/a2a.ts';
import type { TaskView } from '../../domain/task-fold.ts';
import { followUntil } from '../../temporal/tasks/follow-until.ts';
import type { TaskWorkflows } from '../../temporal/tasks/task-workflows.ts';
import type { AdmitMessage } from '../admit-message.ts';
import type { Call } from '../call.ts';
import { isCallersTurn } from '../callers-move.ts';
import { refusePushConfig } from '../refuse-push-config.ts';
import type { TaskProjection } from '../project-task.ts';

export type SendMessageResponse = { readonly task: Task } | { readonly message: Message };

/** A2A 1.0 §3.1.1: waits for the end or the caller's turn, unless `returnImmediately`. */
export function createSendMessage({
  tasks,
  admitMessage,
  projection,
  blockingMaxMs,
}: {
  tasks: TaskWorkflows;
  admitMessage: AdmitMessage;
  projection: TaskProjection;
  blockingMaxMs: number;
}) {
  return async function sendMessage({ message, configuration }: SendRequest, call: Call): Promise<SendMessageResponse> {
    refusePushConfig(configuration);
    const { taskId, isTaken, progressed, isNew, view: admitted } = await admitMessage(message, call);
    const view =
      configuration.returnImmediately || !isTaken
        ? (admitted ?? (await tasks.read(taskId)))
        : await followUntil(tasks, taskId, {
            isReached: (now) => now.reply !== undefined || isCallersTurn(now, progressed),
            limitMs: blockingMaxMs,
            isNew,
            signal: call.signal,
          });
    return answer(view, configuration.historyLength);
  };

  function answer(view: TaskView, historyLength: number | undefined): SendMessageResponse {
    return view.reply === undefined ? { task: projection.task(view, historyLength) } : { message: view.reply };
  }
}
