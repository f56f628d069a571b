import type { SendRequest } from '../../contract/message.ts';
import type { Message, Task } from '../../domain/a2a.ts';
import type { TaskView } from '../../domain/task-fold.ts';
import { followUntil } from '../../temporal/tasks/follow-until.ts';
import type { TaskWorkflows } from '../../temporal/tasks/task-workflows.ts';
import type { AdmitMessage } from '../admit-message.ts';
import type { Call } from '../call.ts';
import { isCallersTurn } from '../callers-move.ts';
import { prepareInlineWebhook } from '../register-webhook.ts';
import type { WebhookRegistry } from '../../push/webhook-registry.ts';
import type { TaskProjection } from '../project-task.ts';

export type SendMessageResponse = { readonly task: Task } | { readonly message: Message };

/** A2A 1.0 §3.1.1: waits for the end or the caller's turn, unless `returnImmediately`. */
export function createSendMessage({
  tasks,
  webhooks,
  admitMessage,
  projection,
  blockingMaxMs,
}: {
  tasks: TaskWorkflows;
  webhooks: WebhookRegistry;
  admitMessage: AdmitMessage;
  projection: TaskProjection;
  blockingMaxMs: number;
}) {
  return async function sendMessage({ message, configuration }: SendRequest, call: Call): Promise<SendMessageResponse> {
    const registerInline = await prepareInlineWebhook({ tasks, webhooks }, configuration, message, call);
    const { taskId, isTaken, progressed, isNew, view: admitted } = await admitMessage(message, call);
    await registerInline(taskId);
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
