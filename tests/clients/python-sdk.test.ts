import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from '@jest/globals';
import { sharedDeployment } from '../support/deployment.ts';
import { installPython } from './python-packages.ts';

const SDK = 'a2a-sdk==1.3.0';
/** The first time, it is downloaded. */
const INSTALL_LIMIT_MS = 300_000;

const deployment = sharedDeployment();
let packages: string;

beforeAll(async () => {
  packages = await installPython(SDK);
}, INSTALL_LIMIT_MS);

it("the Python SDK's client finds the card, sends, streams, answers, subscribes and cancels", async () => {
  const token = deployment().headers('alice')['Authorization']?.replace('Bearer ', '') ?? '';
  const script = join(import.meta.dirname, 'python_sdk_smoke.py');
  const { stdout } = await promisify(execFile)('python3', [script, deployment().url(), token], {
    env: { ...process.env, PYTHONPATH: packages },
  });
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    { step: 'card-refused', status: 401 },
    { step: 'card', skills: ['stub'], streaming: true },
    { step: 'sent', state: 'TASK_STATE_COMPLETED', artifacts: ['hello'] },
    { step: 'got', same: true },
    {
      step: 'streamed',
      first: 'task',
      kinds: ['artifact_update', 'status_update'],
      text: '<1><2><3><4><5>',
      last: 'TASK_STATE_COMPLETED',
    },
    { step: 'asked', state: 'TASK_STATE_INPUT_REQUIRED', question: 'What colour?' },
    { step: 'answered', same: true, state: 'TASK_STATE_COMPLETED', artifacts: ['blue'] },
    { step: 'cancelled', first: 'task', state: 'TASK_STATE_CANCELED', last: 'TASK_STATE_CANCELED' },
    { step: 'cancel-again', error: 'TaskNotCancelableError' },
    { step: 'unknown', error: 'TaskNotFoundError' },
  ]);
}, 120_000);
