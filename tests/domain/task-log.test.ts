import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { foldTask, newTaskView } from '../../src/domain/task-fold.ts';
import { isMessageSignal, isProgressSignal } from '../../src/domain/task-log.ts';

const said = {
  id: '1',
  contentHash: 'h',
  by: 'caller',
  at: '2026-01-01T00:00:00.000Z',
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] },
};
const { message: _, ...envelope } = said;
const answered = { ...envelope, requestId: 'r', answer: { kind: 'free_text', text: 'x' } };
const line = { text: 'x', percent: 1, step: 's', at: '2026-01-01T00:00:00.000Z' };
const chunk = { artifact: { artifactId: 'a', parts: [{ text: 'x' }] }, append: true, lastChunk: false };
const shown = { stageId: 's', turn: 0, attempt: 1, seq: 1, items: [line, chunk] };
const view = newTaskView({
  taskId: 't',
  contextId: 'c',
  message: { messageId: 'm', role: 'ROLE_USER', parts: [] },
  at: '2026-01-01T00:00:00.000Z',
});

const NONSENSE = [undefined, null, 0, '', 'x', true, [], [[]], {}, { id: 1 }, Number.NaN];

describe('isMessageSignal', () => {
  it.each([
    ['a message', said],
    ['a message with no parts', { ...said, message: { ...said.message, parts: [] } }],
    ['an answer', answered],
    ["an operator's decision", { ...answered, by: 'operator', answer: { kind: 'confirm', decision: 'accept' } }],
    ['a decision with a word', { ...answered, answer: { kind: 'confirm', decision: 'reject', text: 'no' } }],
  ])('takes %s', (_name, signal) => {
    expect(isMessageSignal(signal)).toBe(true);
  });

  it.each([
    ...NONSENSE,
    { ...said, id: 1 },
    { ...said, contentHash: undefined },
    { ...said, by: 'nobody' },
    { ...said, message: 'x' },
    { ...said, message: null },
    { ...said, message: { ...said.message, messageId: 7 } },
    { ...said, message: { ...said.message, role: 'ROLE_UNSPECIFIED' } },
    { ...said, message: { ...said.message, parts: {} } },
    { ...said, message: { ...said.message, parts: ['x'] } },
    { ...said, message: { ...said.message, parts: [{ text: {} }] } },
    { ...answered, requestId: 3 },
    { ...answered, answer: null },
    { ...answered, answer: { kind: 'free_text' } },
    { ...answered, answer: { kind: 'confirm', decision: 'maybe' } },
    { ...answered, answer: { kind: 'confirm', decision: 'accept', text: 1 } },
    { ...answered, answer: { kind: 'multi_question' } },
    envelope,
  ])('counts %j for nothing', (signal) => {
    expect(isMessageSignal(signal)).toBe(false);
  });
});

describe('isProgressSignal', () => {
  it.each([
    ['lines and chunks', shown],
    ['nothing to show', { ...shown, items: [] }],
    ['an element', { ...shown, element: 3 }],
    ['a line of nothing but its time', { ...shown, items: [{ at: line.at }] }],
  ])('takes %s', (_name, signal) => {
    expect(isProgressSignal(signal)).toBe(true);
  });

  it.each([
    ...NONSENSE,
    { ...shown, stageId: 1 },
    { ...shown, element: '1' },
    { ...shown, turn: null },
    { ...shown, attempt: '1' },
    { ...shown, seq: undefined },
    { ...shown, items: 'x' },
    { ...shown, items: [null] },
    { ...shown, items: [{}] },
    { ...shown, items: [{ ...line, at: 'zzz' }] },
    { ...shown, items: [{ ...line, at: '2026-13-01T00:00:00.000Z' }] },
    { ...shown, items: [{ ...line, at: '2026-01-01T00:00:00+02:00' }] },
    { ...shown, items: [{ ...line, text: 1 }] },
    { ...shown, items: [{ ...line, percent: '50' }] },
    { ...shown, items: [{ ...line, step: {} }] },
    { ...shown, items: [{ ...chunk, append: 'yes' }] },
    { ...shown, items: [{ ...chunk, lastChunk: undefined }] },
    { ...shown, items: [{ ...chunk, artifact: null }] },
    { ...shown, items: [{ ...chunk, artifact: { artifactId: 1, parts: [] } }] },
    { ...shown, items: [{ ...chunk, artifact: { artifactId: 'a' } }] },
    { ...shown, items: [{ ...chunk, artifact: { artifactId: 'a', parts: [{ text: 1 }] } }] },
  ])('counts %j for nothing', (signal) => {
    expect(isProgressSignal(signal)).toBe(false);
  });
});

it('folds whatever passes for a signal without an error', () => {
  const near = fc.oneof(
    fc.anything(),
    fc.record({
      stageId: fc.string(),
      turn: fc.double(),
      attempt: fc.double(),
      seq: fc.double(),
      items: fc.array(fc.oneof(fc.constant(line), fc.constant(chunk), fc.object())),
    }),
    fc.record({ id: fc.string(), contentHash: fc.string(), by: fc.constant('caller'), message: fc.object() }),
  );
  fc.assert(
    fc.property(near, (signal) => {
      if (isProgressSignal(signal)) foldTask(view, { entry: 'progress', signal });
      if (isMessageSignal(signal)) foldTask(view, { entry: 'message', signal });
    }),
  );
});
