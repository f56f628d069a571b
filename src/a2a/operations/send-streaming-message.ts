import type { SendRequest } from '../../contract/message.ts';
import type { TaskWorkflows } from '../../temporal/tasks/task-workflows.ts';
import type { AdmitMessage } from '../admit-message.ts';
import type { Call } from '../call.ts';
import { isCallersTurn } from '../callers-move.ts';
import type { TaskProjection } from '../project-task.ts';
import { prepareInlineWebhook } from '../register-webhook.ts';
import type { WebhookRegistry } from '../../push/webhook-registry.ts';
import type { StreamFrame } from '../stream-frame.ts';
import { streamTask } from '../stream-task.ts';

/** A2A 1.0 §3.1.2: ends with the task, or when it is the caller's turn; stays open while it is anyone else's. */
export function createSendStreamingMessage({
  tasks,
  webhooks,
  admitMessage,
  projection,
}: {
  tasks: TaskWorkflows;
  webhooks: WebhookRegistry;
  admitMessage: AdmitMessage;
  projection: TaskProjection;
}) {
  return async function* sendStreamingMessage(
    { message, configuration }: SendRequest,
    call: Call,
  ): AsyncGenerator<StreamFrame, void, undefined> {
    const registerInline = await prepareInlineWebhook({ tasks, webhooks }, configuration, message, call);
    const { taskId, receiptId, isTaken, isNew, progressed } = await admitMessage(message, call);
    await registerInline(taskId);
    yield* streamTask({ tasks, projection }, taskId, {
      historyLength: configuration.historyLength,
      isNew,
      isOver: (view) => (isTaken || Object.hasOwn(view.receipts, receiptId)) && isCallersTurn(view, progressed),
      signal: call.signal,
    });
  };
}
