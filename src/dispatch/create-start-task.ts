import { checkMediaTypes } from '../contract/check-media-types.ts';
import { contentHash, contextIdOf, submissionKey, taskIdOf } from '../contract/submission-key.ts';
import type { Message } from '../domain/a2a.ts';
import { Failure } from '../domain/failure.ts';
import { inputModesOf } from '../domain/media-type.ts';
import type { Publication } from '../domain/pipeline.ts';
import { newTaskView } from '../domain/task-fold.ts';
import type { TaskWorkflows } from '../temporal/tasks/task-workflows.ts';
import { choosePublication } from './choose-publication.ts';
import type { StartTask, StartTaskRequest } from './start-task.ts';
import { createInputCheck } from './check-input.ts';

type TaskInput = Parameters<TaskWorkflows['start']>[0];
type TaskStartMemo = Parameters<TaskWorkflows['start']>[1];

export interface StartTaskDependencies {
  readonly publications: readonly Publication[];
  /** Publication for messages that name none. */
  readonly defaultSkill: string | null;
  readonly tasks: Pick<TaskWorkflows, 'start'>;
  readonly taskLimits?: Partial<TaskInput['limits']>;
  readonly now?: () => Date;
  /** Unguessable, another one each time: keys of publications that do not deduplicate. */
  readonly randomId?: () => string;
}

const DEFAULT_LIMITS: TaskInput['limits'] = {
  heartbeatTimeoutMs: 10_000,
  cancelGraceMs: 10_000,
  historyEventsMax: 10_000,
  historyHoldMs: 10_000,
};

export function createStartTask({
  publications,
  defaultSkill,
  tasks,
  taskLimits,
  now = () => new Date(),
  randomId = () => crypto.randomUUID(),
}: StartTaskDependencies): StartTask {
  const limits = { ...DEFAULT_LIMITS, ...taskLimits };
  const checks = new Map(publications.map((publication) => [publication, createInputCheck(publication)]));

  return async function startTask(request) {
    const { caller, tenant, message } = request;
    const publication = choosePublication(message, { caller, publications, defaultSkill });
    checks.get(publication)?.(message);
    checkMediaTypes(message, inputModesOf(publication));
    const idempotencyKey = request.idempotencyKey ?? idempotencyKeyIn(message);
    const key = keyOf(request, publication, idempotencyKey, randomId);
    // Both IDs follow from the key, so that a resend after a crash is the same task in the same context.
    const taskId = taskIdOf(publication.id, key);
    const contextId = message.contextId ?? contextIdOf(key);
    const owner = { caller, ...(tenant !== undefined && { tenant }) };
    const memo: TaskStartMemo = {
      ...owner,
      publication: publication.id,
      contextId,
      messageId: message.messageId,
      contentHash: contentHash(message),
    };
    const submittedAt = now().toISOString();
    const started = await tasks.start({ taskId, contextId, ...owner, publication, message, submittedAt, limits }, memo);
    if (started.isNew) {
      return { taskId, contextId, isNew: true, view: newTaskView({ taskId, contextId, message, at: submittedAt }) };
    }
    if (started.memo.contentHash !== memo.contentHash) throw conflict(idempotencyKey);
    return { taskId, contextId: started.memo.contextId, isNew: false };
  };
}

function keyOf(
  { caller, tenant, message }: StartTaskRequest,
  publication: Publication,
  idempotencyKey: string | undefined,
  randomId: () => string,
): Buffer {
  switch (publication.dedupe) {
    case 'none':
      return submissionKey({ dedupe: 'none', random: randomId() });
    case 'message':
      return submissionKey({
        dedupe: 'message',
        tenant: tenant ?? null,
        caller,
        publication: publication.id,
        messageId: message.messageId,
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      });
    case 'content':
      throw new Error(`Publication ${publication.id} deduplicates by content, which needs contract messages`);
  }
}

/** The name of an HTTP header, so without regard to case. */
function idempotencyKeyIn({ metadata = {} }: Message): string | undefined {
  const value = Object.entries(metadata).find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function conflict(idempotencyKey: string | undefined): Failure {
  const what = idempotencyKey === undefined ? 'Message ID' : 'Idempotency key';
  return new Failure('message-conflict', `${what} was already used for different input`, {
    metadata: { category: 'message-conflict' },
  });
}
