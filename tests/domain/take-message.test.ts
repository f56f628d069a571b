import { describe, expect, it } from '@jest/globals';
import type { ElementProgress, PipelineRun } from '../../src/domain/pipeline-run.ts';
import type { Stage } from '../../src/domain/pipeline.ts';
import type { Question } from '../../src/domain/question.ts';
import { takeMessage } from '../../src/domain/take-message.ts';
import type { MessageSignal } from '../../src/domain/task-log.ts';
import { stageOf } from '../support/task-rig.ts';

const from = (by: 'caller' | 'operator') =>
  ({ id: '1', contentHash: 'h', by, at: '2026-01-01T00:00:00.000Z' }) as const;
const said = (text: string): MessageSignal => ({
  ...from('caller'),
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }, { data: 1 }, { text: 'more' }] },
});
const answered = (
  requestId: string,
  by: 'caller' | 'operator' = 'caller',
  kind: 'free_text' | 'confirm' = 'free_text',
): MessageSignal => ({
  ...from(by),
  requestId,
  answer: kind === 'free_text' ? { kind, text: 'blue' } : { kind, decision: 'accept' },
});
const question = (requestId: string, changes: Partial<Question> = {}): Question => ({
  requestId,
  stageId: 's',
  askId: 'q',
  kind: 'free_text',
  message: '?',
  callerAnswerable: true,
  shown: true,
  askedAt: '2026-01-01T00:00:00.000Z',
  ...changes,
});
const element = (phase: ElementProgress['phase']): ElementProgress => ({
  phase,
  turn: 0,
  answers: {},
  followUps: [],
  followUpsRead: 0,
  workedMs: 0,
});
const running = (stages: readonly Stage[], phases: Readonly<Record<string, readonly ElementProgress['phase'][]>>) => ({
  pipeline: { id: 'p', stages },
  run: {
    stages: Object.fromEntries(
      Object.entries(phases).map(([id, each]) => [id, { gate: 'none' as const, elements: each.map(element) }]),
    ),
  } satisfies PipelineRun,
});
const quiet = running([stageOf('s')], { s: ['running'] });

describe('an answer', () => {
  const own = question('r');
  const operators = question('o', { callerAnswerable: false, kind: 'confirm' });

  it.each([
    [
      'answers the question that it names',
      answered('r'),
      [operators, own],
      { outcome: 'answered', question: own, answer: { kind: 'free_text', text: 'blue' } },
    ],
    [
      'may be given by an operator',
      answered('r', 'operator'),
      [own],
      { outcome: 'answered', question: own, answer: { kind: 'free_text', text: 'blue' } },
    ],
    [
      "answers an operator's question as the operator",
      answered('o', 'operator', 'confirm'),
      [operators],
      { outcome: 'answered', question: operators, answer: { kind: 'confirm', decision: 'accept' } },
    ],
    ['comes too late', answered('gone'), [own], { outcome: 'refused', reason: 'stale-question' }],
    ['comes to no question at all', answered('r'), [], { outcome: 'refused', reason: 'stale-question' }],
    [
      "is not the caller's to give",
      answered('o', 'caller', 'confirm'),
      [operators],
      { outcome: 'refused', reason: 'not-answerable' },
    ],
    [
      'is of another kind',
      answered('r', 'caller', 'confirm'),
      [own],
      { outcome: 'refused', reason: 'wrong-answer-kind' },
    ],
    ['is not found by a hostile name', answered('__proto__'), [own], { outcome: 'refused', reason: 'stale-question' }],
  ])('%s', (_name, signal, questions, expected) => {
    expect(takeMessage(signal, { questions, ...quiet })).toEqual(expected);
  });
});

describe('a plain message', () => {
  const own = question('r');
  const hidden = question('o', { callerAnswerable: false, shown: false });
  const follow = stageOf('f', { followUps: true });
  const many = stageOf('m', { followUps: true, forEach: '/x/payload' });

  it.each([
    [
      'answers the one open question, text parts joined',
      [hidden, own],
      quiet,
      { outcome: 'answered', question: own, answer: { kind: 'free_text', text: 'blue\nmore' } },
    ],
    [
      'is refused when it could answer several',
      [own, hidden, question('r2')],
      quiet,
      { outcome: 'refused', reason: 'several-questions', requestIds: ['r', 'r2'] },
    ],
    ["does not answer an operator's question", [hidden], quiet, { outcome: 'refused', reason: 'not-waiting' }],
    ['is refused where nothing waits for it', [], quiet, { outcome: 'refused', reason: 'not-waiting' }],
    [
      'is queued for a stage that takes follow-ups',
      [],
      running([follow], { f: ['running'] }),
      { outcome: 'queued', runs: [{ stageId: 'f' }] },
    ],
    [
      "is queued also while such a stage waits for an operator's answer",
      [hidden],
      running([follow], { f: ['asking'] }),
      { outcome: 'queued', runs: [{ stageId: 'f' }] },
    ],
    [
      'answers before it is queued',
      [own],
      running([follow], { f: ['running'] }),
      { outcome: 'answered', question: own, answer: { kind: 'free_text', text: 'blue\nmore' } },
    ],
    [
      'is queued for each element that is not done',
      [],
      running([many], { m: ['done', 'running', 'ready'] }),
      {
        outcome: 'queued',
        runs: [
          { stageId: 'm', element: 1 },
          { stageId: 'm', element: 2 },
        ],
      },
    ],
    [
      'is refused once such a stage is done',
      [],
      running([follow], { f: ['done'] }),
      { outcome: 'refused', reason: 'not-waiting' },
    ],
    [
      'is refused before such a stage has begun',
      [],
      running([follow], {}),
      { outcome: 'refused', reason: 'not-waiting' },
    ],
    [
      'resumes a stage that waits for authorisation',
      [],
      running([stageOf('s'), follow], { s: ['authorizing'], f: ['done'] }),
      { outcome: 'queued', runs: [{ stageId: 's' }] },
    ],
    [
      'finds a stage of any name',
      [],
      running([stageOf('constructor', { followUps: true })], { ['constructor' as string]: ['running'] }),
      { outcome: 'queued', runs: [{ stageId: 'constructor' }] },
    ],
    [
      'is not confused by a stage named like a property of all objects',
      [],
      running([stageOf('constructor', { followUps: true })], {}),
      { outcome: 'refused', reason: 'not-waiting' },
    ],
  ])('%s', (_name, questions, task, expected) => {
    expect(takeMessage(said('blue'), { questions, ...task })).toEqual(expected);
  });
});
