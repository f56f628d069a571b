import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { Task, TaskState } from '../../domain/a2a.ts';
import { textOf } from '../../domain/a2a.ts';
import type { TaskPage } from '../client/a2a-client.ts';
import { openTarget } from '../client/target.ts';
import { EXIT } from '../exit-codes.ts';
import type { ClientFlags } from '../flags.ts';
import { addClientFlags } from '../flags.ts';
import type { Output } from '../output.ts';
import type { RunCommand } from '../run-command.ts';
import { oneLine, stateWord } from '../view/words.ts';

interface ListFlags extends ClientFlags {
  readonly status?: TaskState;
  readonly context?: string;
  readonly since?: string;
  readonly limit: number;
}

const STATE_BY_WORD: Readonly<Record<string, TaskState>> = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  waiting: 'TASK_STATE_INPUT_REQUIRED',
  auth: 'TASK_STATE_AUTH_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
  rejected: 'TASK_STATE_REJECTED',
};

const PAGE_SIZE_MAX = 100;
const WORDS_WIDTH = 60;

export function registerList(program: Command, run: RunCommand): void {
  addClientFlags(program.command('list'))
    .description('lists your tasks, the newest status first')
    .option('--status <state>', `only those that are ${Object.keys(STATE_BY_WORD).join(', ')}`, parseState)
    .option('--context <id>', 'only those of this context')
    .option('--since <time>', 'only those whose status is of this time or later, such as 2026-01-31T12:00:00Z')
    .option('--limit <number>', 'how many at most', parseLimit, 20)
    .action(
      run(async (output, flags: ListFlags) => {
        const { a2a } = await openTarget(flags);
        const tasks: Task[] = [];
        let page: TaskPage | undefined;
        do {
          page = await a2a.listTasks({
            pageSize: Math.min(PAGE_SIZE_MAX, flags.limit - tasks.length),
            pageToken: page?.nextPageToken ?? '',
            ...(flags.status !== undefined && { status: flags.status }),
            ...(flags.context !== undefined && { contextId: flags.context }),
            ...(flags.since !== undefined && { statusTimestampAfter: flags.since }),
          });
          tasks.push(...page.tasks);
        } while (page.nextPageToken !== '' && tasks.length < flags.limit);
        const { totalSize } = page;
        output.json({ tasks, totalSize });
        for (const task of tasks) output.say(describe(task, output));
        if (totalSize === 0) output.say('No tasks.');
        if (totalSize > tasks.length) output.note(`${tasks.length} of ${totalSize}; more with --limit ${totalSize}`);
        return EXIT.ok;
      }),
    );
}

function describe({ id, status, history }: Task, { colors }: Output): string {
  const first = history?.[0];
  const words = first === undefined ? '' : oneLine(textOf(first), WORDS_WIDTH);
  return `${colors.bold(id)}  ${stateWord(status.state, colors)}  ${colors.dim(status.timestamp)}  ${words}`.trimEnd();
}

function parseState(word: string): TaskState {
  const state = STATE_BY_WORD[word.toLowerCase()];
  if (state === undefined) throw new InvalidArgumentError(`It is one of ${Object.keys(STATE_BY_WORD).join(', ')}.`);
  return state;
}

function parseLimit(value: string): number {
  const limit = Number(value);
  if (!Number.isInteger(limit) || limit < 1) throw new InvalidArgumentError('A limit is a whole number from 1 on.');
  return limit;
}
