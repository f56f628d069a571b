import { describe, expect, it } from '@jest/globals';
import { BOB, rpc, send } from '../../support/gateway.ts';
import { sharedGateway } from '../../support/shared-gateway.ts';

const gateway = sharedGateway();

describe('ListTasks', () => {
  it('pages through the tasks of its caller alone', async () => {
    for (const text of ['echo 1', 'echo 2', 'echo 3']) await send(gateway(), text);
    const first = (await rpc(gateway().url, 'ListTasks', { pageSize: 2 })).body.result;
    expect(first).toMatchObject({ pageSize: 2, totalSize: 3, tasks: [{ id: expect.any(String) }, {}] });
    const second = (await rpc(gateway().url, 'ListTasks', { pageSize: 2, pageToken: first.nextPageToken })).body.result;
    expect(second).toMatchObject({ totalSize: 3, nextPageToken: '' });
    expect(second.tasks).toHaveLength(1);
    expect((await rpc(gateway().url, 'ListTasks', {}, BOB)).body.result).toEqual({
      tasks: [],
      nextPageToken: '',
      pageSize: 50,
      totalSize: 0,
    });
  });

  it('shows artifacts and as much history as it was asked for', async () => {
    const list = async (params: object) => (await rpc(gateway().url, 'ListTasks', params)).body.result.tasks[0];
    await send(gateway(), 'echo 4');
    expect(await list({})).not.toHaveProperty('artifacts');
    expect(await list({})).toHaveProperty('history');
    expect(await list({ historyLength: 0 })).not.toHaveProperty('history');
    expect(await list({ includeArtifacts: true })).toHaveProperty('artifacts');
  });
});
