import { expect, it } from '@jest/globals';
import { formatCursor, parseCursor } from '../../../src/temporal/history/task-cursor.ts';

const runId = '01a22e9d-202a-7b60-a007-4dec9c6dce06';

it('reads what it writes', () => {
  const cursor = { runId, eventId: 18, index: 1 };
  expect(parseCursor(formatCursor(cursor))).toEqual(cursor);
});

it.each([
  '',
  runId,
  `${runId}.1`,
  `${runId}.0.0`,
  `${runId}.01.0`,
  `${runId}.1.-1`,
  `${runId}.1.0 `,
  `${runId}.1.0\n`,
  `${runId}.99999999999.0`,
  `${runId.toUpperCase()}.1.0`,
  `${runId}.1e3.0`,
  `../${runId}.1.0`,
])('takes %j for no cursor', (text) => {
  expect(parseCursor(text)).toBeUndefined();
});
