import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Executor, ExecutorContext, ExecutorResult } from '../../src/domain/executor.ts';
import type { CommandExecutorSpec } from '../../src/domain/pipeline.ts';
import { AskSignal } from '../ask.ts';
import { StageFailedError } from '../stage-failed-error.ts';
import { parseCommandLine } from './command-output.ts';
import type { ExecutorEnvironment } from './executor-factory.ts';
import { OutputLog } from './output-log.ts';
import { startProcessGroup } from './process-group.ts';
import type { ProcessGroup } from './process-group.ts';
import { readLines } from './read-lines.ts';

/** So long a command that has asked may take to end by itself. */
const ASK_EXIT_MS = 2_000;
const LINE_BYTES_MAX = 32 * 1024 * 1024;
const LOG_LINE_BYTES_MAX = 1024 * 1024;
/** Of the worker's environment: what programs need to run at all, and none of its secrets. */
const PASSED_VARIABLES = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'SystemRoot'];

/** A subprocess: one JSON object on its standard input, JSON lines on its standard output. */
export function createCommandExecutor(spec: CommandExecutorSpec, environment: ExecutorEnvironment): Executor {
  const { configDirectory, facts, run, log, stopGraceMs } = environment;
  const fields = { taskId: facts.taskId, stageId: run.stage.id, element: run.element, command: spec.command[0] };

  return async (context) => {
    context.signal.throwIfAborted();
    await using group = startProcessGroup(spec.command, {
      cwd: resolve(configDirectory, facts.root),
      env: variablesOf(context, environment),
      // The worker waits for the executor as long again.
      graceMs: stopGraceMs / 2,
    });
    const onAbort = () => void group.stop();
    context.signal.addEventListener('abort', onAbort, { once: true });
    try {
      const stderr = new OutputLog(log, { ...fields, output: 'stderr' });
      const stdout = new OutputLog(log, { ...fields, output: 'stdout' });
      giveInput(group, context, environment);
      // What the command started and left running ends with it, and lets go of the pipes.
      const end = group.exit.then(() => group.stop());
      const [said] = await Promise.all([readOutput(group, context, stdout, end), logErrors(group, stderr, end)]);
      return await conclude(said, group, spec, stderr, context.signal);
    } catch (error) {
      if (error instanceof AskSignal) await Promise.race([group.exit, sleep(ASK_EXIT_MS, undefined, { ref: false })]);
      throw error;
    } finally {
      context.signal.removeEventListener('abort', onAbort);
    }
  };
}

async function readOutput(
  { process }: ProcessGroup,
  context: ExecutorContext,
  log: OutputLog,
  end: Promise<void>,
): Promise<{ result: unknown } | undefined> {
  let said: { result: unknown } | undefined;
  for await (const line of readLines(process.stdout, LINE_BYTES_MAX, end)) {
    const parsed = parseCommandLine(line);
    if (parsed.kind === 'call') await parsed.make(context);
    else if (parsed.kind === 'result') said ??= { result: parsed.result };
    else if (line.trim() !== '') log.write(line);
  }
  return said;
}

async function logErrors({ process }: ProcessGroup, log: OutputLog, end: Promise<void>): Promise<void> {
  for await (const line of readLines(process.stderr, LOG_LINE_BYTES_MAX, end)) {
    if (line.trim() !== '') log.write(line);
  }
}

async function conclude(
  said: { result: unknown } | undefined,
  group: ProcessGroup,
  { command }: CommandExecutorSpec,
  stderr: OutputLog,
  signal: AbortSignal,
): Promise<ExecutorResult> {
  const name = command.join(' ');
  const { code, signal: killedBy } = await group.exit.catch((error: unknown) => {
    throw new StageFailedError('executor-not-found', `The command ${name} cannot be started: ${String(error)}`, error);
  });
  signal.throwIfAborted();
  // The wrapper checks it, as it checks any executor's.
  if (said !== undefined) return said.result as ExecutorResult;
  const how = killedBy === null ? `with code ${code ?? 0}` : `by ${killedBy}`;
  const last = stderr.tail === '' ? '' : `; it last wrote:\n${stderr.tail}`;
  throw new Error(`The command ${name} ended ${how} and without a result${last}`);
}

/** The whole input at once, then the end of it: `json.load(sys.stdin)` just works. */
function giveInput({ process }: ProcessGroup, context: ExecutorContext, { facts, run }: ExecutorEnvironment): void {
  const { goal, message, upstream, index, answers, followUps, attempt, idempotencyKey, caller } = context;
  const given: Readonly<Record<string, unknown>> = {
    taskId: facts.taskId,
    contextId: facts.contextId,
    stage: run.stage.id,
    goal,
    input: context.input as unknown,
    message,
    upstream,
    item: context.item as unknown,
    index,
    answers,
    followUps,
    attempt,
    idempotencyKey,
    caller,
  };
  process.stdin.on('error', () => undefined); // a command that does not read its input is fine
  process.stdin.end(`${JSON.stringify(given)}\n`);
}

function variablesOf(
  context: ExecutorContext,
  { environment, facts, run }: ExecutorEnvironment,
): Readonly<Record<string, string>> {
  const passed = PASSED_VARIABLES.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(passed),
    LONGHAUL_TASK_ID: facts.taskId,
    LONGHAUL_CONTEXT_ID: facts.contextId,
    LONGHAUL_PUBLICATION: facts.publicationId,
    LONGHAUL_STAGE: run.stage.id,
    ...(run.element !== undefined && { LONGHAUL_ELEMENT: String(run.element) }),
    LONGHAUL_ATTEMPT: String(context.attempt),
    LONGHAUL_IDEMPOTENCY_KEY: context.idempotencyKey,
    LONGHAUL_CALLER: context.caller,
  };
}
