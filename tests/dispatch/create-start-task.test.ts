import { beforeEach, describe, expect, it } from '@jest/globals';
import { createStartTask, type StartTaskDependencies } from '../../src/dispatch/create-start-task.ts';
import type { Message } from '../../src/domain/a2a.ts';
import type { Failure } from '../../src/domain/failure.ts';
import type { Publication } from '../../src/domain/pipeline.ts';
import { inputFormOf, inputOf as readInput } from '../../src/domain/task-input.ts';
import { newTaskView } from '../../src/domain/task-fold.ts';
import type { TaskWorkflows } from '../../src/temporal/tasks/task-workflows.ts';

type Start = TaskWorkflows['start'];
type TaskInput = Parameters<Start>[0];

/** Workflows that are started once for their ID, as Temporal starts them. */
function fakeTasks() {
  const inputs = new Map<string, TaskInput>();
  const memos = new Map<string, Parameters<Start>[1]>();
  const start: Start = async (input, memo) => {
    const first = memos.get(input.taskId);
    if (first !== undefined) return { isNew: false, memo: first };
    inputs.set(input.taskId, input);
    memos.set(input.taskId, memo);
    return { isNew: true, memo };
  };
  return { start, inputs, memos };
}

function publication(id: string, rest: Partial<Publication> = {}): Publication {
  return {
    id,
    name: id,
    description: id,
    revision: 'r1',
    root: '.',
    pipeline: { id, stages: [] },
    plain: true,
    results: { stage: id, includePayload: true, artifacts: [] },
    questionsTo: 'caller',
    dedupe: 'message',
    allowedCallers: ['ann', 'bob'],
    tags: [],
    examples: [],
    ...rest,
  };
}

const message = (rest: Partial<Message> = {}): Message => ({
  messageId: 'm-1',
  role: 'ROLE_USER',
  parts: [{ text: 'hello' }],
  ...rest,
});

let tasks: ReturnType<typeof fakeTasks>;
let randoms: number;
beforeEach(() => {
  tasks = fakeTasks();
  randoms = 0;
});

function start(publications: Publication[], rest: Partial<StartTaskDependencies> = {}) {
  return createStartTask({
    publications,
    defaultSkill: null,
    tasks,
    now: () => new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 6)),
    randomId: () => `random-${(randoms += 1)}`,
    ...rest,
  });
}

/** As its stages get it. */
const inputOf = (taskId: string) => {
  const { message, publication } = tasks.inputs.get(taskId)!;
  return readInput(message, inputFormOf(publication));
};

describe('startTask', () => {
  it('starts the workflow with the publication by value and a memo', async () => {
    const echo = publication('echo');
    const started = await start([echo])({ caller: 'ann', message: message() });
    expect(started).toEqual({
      taskId: expect.stringMatching(/^echo-[a-z2-7]{26}$/),
      contextId: expect.stringMatching(/^ctx-[a-z2-7]{26}$/),
      isNew: true,
      view: expect.objectContaining({}),
    });
    const { taskId, contextId } = started;
    expect(started.view).toEqual(
      newTaskView({ taskId, contextId, message: message(), at: '2026-01-02T03:04:05.006Z' }),
    );
    expect(tasks.inputs.get(taskId)).toEqual({
      taskId,
      contextId,
      caller: 'ann',
      publication: echo,
      message: message(),
      submittedAt: '2026-01-02T03:04:05.006Z',
      limits: { heartbeatTimeoutMs: 10_000, cancelGraceMs: 10_000, historyEventsMax: 10_000, historyHoldMs: 10_000 },
    });
    expect(tasks.memos.get(taskId)).toEqual({
      caller: 'ann',
      publication: 'echo',
      contextId,
      messageId: 'm-1',
      contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('keeps the context that the message names', async () => {
    const started = await start([publication('echo')])({ caller: 'ann', message: message({ contextId: 'mine' }) });
    expect(started.contextId).toBe('mine');
  });

  it('answers a repeated message with the first task and its context, also from another process', async () => {
    const first = await start([publication('echo')])({ caller: 'ann', message: message() });
    const again = await start([publication('echo', { revision: 'r2' })])({ caller: 'ann', message: message() });
    const { taskId, contextId } = first;
    expect(again).toEqual({ taskId, contextId, isNew: false });
    expect(tasks.inputs.size).toBe(1);
  });

  it('does not see the order of keys in a repeated message', async () => {
    const startTask = start([publication('echo')]);
    const first = await startTask({ caller: 'ann', message: message({ parts: [{ data: { a: 1, b: 2 } }] }) });
    const again = await startTask({ caller: 'ann', message: message({ parts: [{ data: { b: 2, a: 1 } }] }) });
    expect(again.taskId).toBe(first.taskId);
  });

  it('refuses a messageId that comes with other content, and starts nothing', async () => {
    const startTask = start([publication('echo')]);
    await startTask({ caller: 'ann', message: message() });
    await expect(startTask({ caller: 'ann', message: message({ parts: [{ text: 'other' }] }) })).rejects.toMatchObject({
      kind: 'message-conflict',
      message: 'Message ID was already used for different input',
      metadata: { category: 'message-conflict' },
    });
    expect(tasks.inputs.size).toBe(1);
  });

  it.each([
    ['another messageId', { caller: 'ann', message: message({ messageId: 'm-2' }) }],
    ['another caller', { caller: 'bob', message: message() }],
    ['another publication', { caller: 'ann', message: message({ metadata: { skill: 'other' } }) }],
  ])('starts another task for %s', async (_name, request) => {
    const startTask = start([publication('echo'), publication('other')], { defaultSkill: 'echo' });
    await startTask({ caller: 'ann', message: message() });
    expect((await startTask(request)).isNew).toBe(true);
  });

  it.each([
    ['the header', { idempotencyKey: 'k' }, {}],
    ['the metadata', {}, { metadata: { 'idempotency-key': 'k' } }],
  ])('lets an idempotency key of %s take the place of the messageId', async (_name, header, rest) => {
    const startTask = start([publication('echo')]);
    const first = await startTask({ caller: 'ann', message: message(rest), ...header });
    const again = await startTask({ caller: 'ann', message: message({ ...rest, messageId: 'm-2' }), ...header });
    const { taskId, contextId } = first;
    expect(again).toEqual({ taskId, contextId, isNew: false });
    const other = { caller: 'ann', message: message({ ...rest, parts: [{ text: 'other' }] }), ...header };
    await expect(startTask(other)).rejects.toThrow('Idempotency key was already used for different input');
  });

  it('starts another task for the same message in another tenant', async () => {
    const startTask = start([publication('echo')]);
    const none = await startTask({ caller: 'ann', message: message() });
    const acme = await startTask({ caller: 'ann', tenant: 'acme', message: message() });
    expect(acme.taskId).not.toBe(none.taskId);
    expect(tasks.memos.get(acme.taskId)).toMatchObject({ caller: 'ann', tenant: 'acme' });
    expect(tasks.memos.get(none.taskId)).not.toHaveProperty('tenant');
  });

  it('starts nothing for a part that the publication does not take', async () => {
    const sent = message({ parts: [{ raw: 'AA==', mediaType: 'image/png' }] });
    const refused = start([publication('echo')])({ caller: 'ann', message: sent });
    await expect(refused).rejects.toMatchObject({ kind: 'content-type-not-supported' });
    expect(tasks.inputs.size).toBe(0);
    const pictures = publication('echo', { inputModes: ['image/*'] });
    expect(await start([pictures])({ caller: 'ann', message: sent })).toMatchObject({ isNew: true });
  });

  it('starts a task for every message where nothing is deduplicated', async () => {
    const startTask = start([publication('echo', { dedupe: 'none' })]);
    const first = await startTask({ caller: 'ann', message: message() });
    const second = await startTask({ caller: 'ann', message: message() });
    expect(second.isNew).toBe(true);
    expect(second.taskId).not.toBe(first.taskId);
  });
});

describe('the publication of a message', () => {
  const publications = [
    publication('echo'),
    publication('research'),
    publication('secret', { allowedCallers: ['bob'] }),
  ];

  it.each<[string, Message['metadata'], string]>([
    ['skillHint', { skillHint: 'research' }, 'research'],
    ['skill', { skill: 'research' }, 'research'],
    ['publication', { publication: 'research' }, 'research'],
    ['targets', { targets: ['research'] }, 'research'],
    ['targets of which one is open to the caller', { targets: ['secret', 'elsewhere', 'research'] }, 'research'],
    ['skillHint before targets', { skillHint: 'echo', targets: ['research'] }, 'echo'],
    ['nothing', {}, 'echo'],
    ['empty names', { skillHint: '', targets: [] }, 'echo'],
  ])('is chosen by %s', async (_name, metadata, expected) => {
    const startTask = start(publications, { defaultSkill: 'echo' });
    const { taskId } = await startTask({ caller: 'ann', message: message({ metadata: metadata ?? {} }) });
    expect(tasks.inputs.get(taskId)!.publication.id).toBe(expected);
  });

  it('is the only one that the caller may use', async () => {
    const startTask = start([publication('echo'), publication('secret', { allowedCallers: ['bob'] })]);
    const { taskId } = await startTask({ caller: 'ann', message: message() });
    expect(tasks.inputs.get(taskId)!.publication.id).toBe('echo');
  });

  it('is refused alike when it does not exist and when it is not open to the caller', async () => {
    const startTask = start(publications);
    const failures = await Promise.all(
      ['secret', 'absent'].map(async (skill) => {
        const sent = startTask({ caller: 'ann', message: message({ metadata: { skill } }) });
        const [result] = await Promise.allSettled([sent]);
        const failure = result.status === 'rejected' ? (result.reason as Failure) : undefined;
        return { kind: failure?.kind, text: failure?.message.replace(skill, 'X') };
      }),
    );
    expect(failures[0]).toEqual({
      kind: 'invalid-request',
      text: 'Unknown capability: X; you may use "echo", "research"',
    });
    expect(failures[1]).toEqual(failures[0]);
  });

  it.each<[string, Message['metadata'], RegExp]>([
    ['nothing, and several fit', {}, /must name one publication; you may use "echo", "research"/],
    ['several', { targets: ['echo', 'research'] }, /must name one/],
    ['a number', { skill: 7 }, /message\.metadata\.skill: must be a string/],
    ['a text for a list', { targets: 'echo' }, /list of strings/],
  ])('is refused when the message names %s', async (_name, metadata, text) => {
    const sent = start(publications)({ caller: 'ann', message: message({ metadata: metadata ?? {} }) });
    await expect(sent).rejects.toThrow(text);
    expect(tasks.inputs.size).toBe(0);
  });

  it('is refused to a caller to whom none is open', async () => {
    const sent = start(publications)({ caller: 'eve', message: message() });
    await expect(sent).rejects.toThrow('no publication is open to you');
  });
});

describe('the input of a task', () => {
  const inputSchema = {
    type: 'object',
    required: ['question'],
    properties: { question: { type: 'string', minLength: 3 } },
    additionalProperties: false,
  };
  const withSchema = publication('research', { inputSchema });
  const withText = publication('research', { inputSchema, textInput: 'question' });

  it('is text and parts of a plain message', async () => {
    const parts = [{ text: 'one' }, { data: { a: 1 } }, { text: 'two' }];
    const { taskId } = await start([publication('echo')])({ caller: 'ann', message: message({ parts }) });
    expect(inputOf(taskId)).toEqual({ text: 'one\ntwo', parts });
  });

  it('is the one data part where an input schema is declared', async () => {
    const parts = [{ data: { question: 'Why?' } }];
    const { taskId } = await start([withSchema])({ caller: 'ann', message: message({ parts }) });
    expect(inputOf(taskId)).toEqual({ question: 'Why?' });
  });

  it('is the text in the property that text_input names', async () => {
    const parts = [{ text: 'Why' }, { text: 'not?' }];
    const { taskId } = await start([withText])({ caller: 'ann', message: message({ parts }) });
    expect(inputOf(taskId)).toEqual({ question: 'Why\nnot?' });
  });

  it.each<[string, Publication, Message['parts'], RegExp]>([
    ['text without text_input', withSchema, [{ text: 'Why?' }], /message\.parts must be exactly one data part/],
    ['two data parts', withText, [{ data: {} }, { data: {} }], /exactly one data part, or text/],
    ['a file', withText, [{ url: 'https://x.test/f' }], /exactly one data part, or text/],
    ['a missing property', withSchema, [{ data: {} }], /input must have required property 'question'/],
    ['a wrong type', withSchema, [{ data: { question: 7 } }], /input\.question must be string/],
    [
      'a property too many',
      withSchema,
      [{ data: { question: 'Why?', a: 1 } }],
      /must NOT have additional properties \("a"\)/,
    ],
    ['text that the schema refuses', withText, [{ text: 'x' }], /input\.question must NOT have fewer than 3/],
    ['data that is null', withSchema, [{ data: null }], /input must be object/],
  ])('is refused: %s', async (_name, chosen, parts, text) => {
    const sent = start([chosen])({ caller: 'ann', message: message({ parts }) });
    await expect(sent).rejects.toMatchObject({
      kind: 'invalid-request',
      message: expect.stringMatching(text),
      metadata: { category: 'invalid-input' },
    });
    expect(tasks.inputs.size).toBe(0);
  });

  it('is never a contract message', async () => {
    const parts = [{ data: { contractVersion: 1, operation: 'invoke' } }];
    const sent = start([publication('echo')])({ caller: 'ann', message: message({ parts }) });
    await expect(sent).rejects.toMatchObject({ kind: 'unsupported-operation' });
  });
});
