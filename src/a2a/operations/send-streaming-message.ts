import type { SendRequest } from '../../contract/message.ts';
import type { TaskWorkflows } from '../../temporal/tasks/task-workflows.ts';
import type { AdmitMessage } from '../admit-message.ts';
import type { Call } from '../call.ts';
import { isCallersTurn } from '../callers-move.ts';
import type { TaskProjection } from '../project-task.ts';
import { refusePushConfig } from '../refuse-push-config.ts';
import type { StreamFrame } from '../stream-frame.ts';
import { streamTask } from '../stream-task.ts';

/** A2A 1.0 §3.1.2: ends with the task, or when it is the caller's turn; stays open while it is anyone else's. */
export function createSendStreamingMessage({
  tasks,
  admitMessage,
  projection,
}: {
  tasks: TaskWorkflows;
  admitMessage: AdmitMessage;
  projection: TaskProjection;
}) {
  return async function* sendStreamingMessage(
    { message, configuration }: SendRequest,
    call: Call,
  ): AsyncGenerator<StreamFrame, void, undefined> {
    refusePushConfig(configuration);
    const { taskId, receiptId, isTaken, isNew, progressed } = await admitMessage(message, call);
    yield* streamTask({ tasks, projection }, taskId, {
      historyLength: configuration.historyLength,
      isNew,
      isOver: (view) => (isTaken || Object.hasOwn(view.receipts, receiptId)) && isCallersTurn(view, progressed),
      signal: call.signal,
    });
  };
}
