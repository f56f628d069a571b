import { describe, expect, it } from '@jest/globals';
import { parseListTasksRequest } from '../../src/contract/list-request.ts';

describe('ListTasks as it arrives', () => {
  it('asks for 50 tasks of any kind, without artifacts, unless it says so', () => {
    for (const params of [
      undefined,
      {},
      { contextId: '', pageToken: '', status: 'TASK_STATE_UNSPECIFIED' },
      { status: 0 },
    ]) {
      expect(parseListTasksRequest(params)).toEqual({ pageSize: 50, includeArtifacts: false });
    }
  });

  it('is read in both spellings, and with an enum by number', () => {
    const request = { contextId: 'c', status: 'TASK_STATE_INPUT_REQUIRED', pageSize: 3, includeArtifacts: true };
    expect(parseListTasksRequest(request)).toEqual(request);
    expect(parseListTasksRequest({ context_id: 'c', status: 6, page_size: 3, include_artifacts: true })).toEqual(
      request,
    );
  });

  it.each([
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00.123Z', '2026-01-31T12:00:00.123Z'],
    ['2026-01-31T12:00:00.123000Z', '2026-01-31T12:00:00.123Z'],
    ['2026-01-31T12:00:00.123001Z', '2026-01-31T12:00:00.124Z'],
    ['2026-01-31T12:00:00+05:30', '2026-01-31T06:30:00.000Z'],
  ])('takes %s as from %s on', (statusTimestampAfter, expected) => {
    expect(parseListTasksRequest({ statusTimestampAfter }).statusTimestampAfter).toBe(Date.parse(expected));
  });

  it.each([
    [{ pageSize: 0 }, 'pageSize'],
    [{ pageSize: 101 }, 'pageSize'],
    [{ pageSize: 1.5 }, 'pageSize'],
    [{ pageSize: '10' }, 'pageSize'],
    [{ historyLength: -1 }, 'historyLength'],
    [{ status: 'TASK_STATE_DONE' }, 'status'],
    [{ status: 9 }, 'status'],
    [{ statusTimestampAfter: 0 }, 'statusTimestampAfter'],
    [{ statusTimestampAfter: '2026-01-31' }, 'statusTimestampAfter'],
    [{ includeArtifacts: 1 }, 'includeArtifacts'],
    [{ contextId: 7 }, 'contextId'],
    [[], ''],
  ])('refuses %j', (params, field) => {
    expect(() => parseListTasksRequest(params)).toThrow(field);
  });
});
