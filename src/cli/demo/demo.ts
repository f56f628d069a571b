import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Artifact } from '../../domain/a2a.ts';
import { parseConfig } from '../../config/parse-config.ts';
import { findFreePort } from '../../temporal/server/free-port.ts';
import { findOrStartTemporal } from '../../temporal/server/find-or-start-temporal.ts';
import { createProgressPrinter } from '../../temporal/server/progress.ts';
import { createA2aClient } from '../client/a2a-client.ts';
import { createCheckedFetch } from '../client/checked-fetch.ts';
import { createOperatorClient } from '../client/operator-client.ts';
import type { Target } from '../client/target.ts';
import { CommandError } from '../command-error.ts';
import { commandName } from '../command-name.ts';
import { createGateAnswerer } from './answer-gates.ts';
import type { DemoProject } from './project.ts';
import { prepareProject } from './project.ts';
import { readRepeatedAttempts } from './repeated-attempts.ts';
import type { ServiceProcess } from './service-process.ts';
import { startService } from './service-process.ts';
import type { ExitCode } from '../exit-codes.ts';
import { EXIT } from '../exit-codes.ts';
import type { CommonFlags } from '../flags.ts';
import type { Output } from '../output.ts';
import { Cleanup } from '../../process/cleanup.ts';
import { ensureSecret } from '../server/secret.ts';
import { setUp } from '../server/set-up.ts';
import { listenForStop } from '../server/stop-signal.ts';
import { DATA_DIR_DEFAULT } from '../server/up-record.ts';
import { watchTask } from '../view/watch-task.ts';
import { safe, wrap } from '../view/words.ts';

export interface DemoFlags extends CommonFlags {
  readonly kill?: boolean;
  readonly interactive?: boolean;
  readonly keep?: boolean;
}

const REPORT_LINES = 14;
/** On a terminal the links stay good for so long. */
const LINGER_MS = 120_000;

/** The whole of `longhaul demo`. */
export async function demo(question: string, flags: DemoFlags, output: Output): Promise<ExitCode> {
  using stop = listenForStop();
  await using open = new Cleanup();
  const directory = join(resolve(flags.dataDir ?? DATA_DIR_DEFAULT), 'demo');
  const dataDir = join(directory, 'state');
  const [port, operatorPort] = [await findFreePort(flags.port ?? 4000), await findFreePort(flags.operatorPort ?? 4001)];
  const url = `http://127.0.0.1:${port}`;
  const project = await prepareProject(directory, { publicUrl: url });
  await mkdir(dataDir, { recursive: true });
  await ensureSecret(dataDir);

  // A queue of its own: on a server that is used already, no other worker takes its tasks, and its stores are no one else's.
  const { LONGHAUL_TASK_QUEUE = 'longhaul-demo' } = process.env;
  const env = { ...process.env, ANALYST_TOKEN: project.token, LONGHAUL_TASK_QUEUE };
  const serverFlags = {
    config: project.configPath,
    dataDir,
    port,
    operatorPort,
    namespace: flags.namespace ?? 'longhaul',
  };
  const config = await parseConfig({ env, flags: serverFlags, cwd: directory });
  const temporal = open.use(
    await findOrStartTemporal({
      ...(flags.temporalAddress !== undefined && { address: flags.temporalAddress }),
      dataDir,
      onProgress: createProgressPrinter(process.stderr),
    }),
  );
  await setUp(config, temporal.address);
  if (stop.isRequested()) return EXIT.interrupted;

  const args = [
    ...['--json', '--config', project.configPath, '--data-dir', dataDir],
    ...['--temporal-address', temporal.address, '--namespace', config.temporal.namespace],
    ...['--port', String(port), '--operator-port', String(operatorPort)],
  ];
  const services = new Services((name) =>
    startService([name, ...args], { env, logPath: join(dataDir, `${name}.log`) }),
  );
  open.use(services);
  output.note('Starting a worker and a gateway, each a process of its own');
  try {
    await services.start();
  } catch (error) {
    if (!stop.isRequested()) throw error; // Ctrl-C in a terminal reaches them, too
  }
  if (stop.isRequested()) return EXIT.interrupted;

  const target = await openDemoTarget(url, `http://127.0.0.1:${operatorPort}`, project);
  const { dim, bold, green } = output.colors;
  output.say(`\n${bold('The question')}, sent over A2A to ${url}/a2a:\n  ${question}\n`);
  const sent = await target.a2a.send({
    messageId: randomUUID(),
    role: 'ROLE_USER',
    parts: [{ text: question }],
    metadata: { skillHint: 'research' },
  });
  if (!('task' in sent))
    throw new CommandError(EXIT.failed, 'no-task', 'The gateway answered with a message and no task.');
  const { id: taskId } = sent.task;

  const gateOf = createGateAnswerer({ taskId, target, output, isInteractive: flags.interactive ?? false });
  let isKillDue = flags.kill ?? false;
  const exitCode = await watchTask(taskId, target, output, {
    untilAsked: false,
    withoutEnd: true,
    onProgress(progress) {
      const gather = progress.stages.find(({ id }) => id === 'gather');
      if (isKillDue && gather?.isDone === false && (gather.elementsDone ?? 0) > 0) {
        isKillDue = false;
        return () => services.killAndRestart(output);
      }
      return gateOf(progress);
    },
  });
  if (exitCode === EXIT.interrupted) return exitCode;

  const task = await target.a2a.getTask(taskId);
  if (task.status.state !== 'TASK_STATE_COMPLETED') {
    const reason = task.status.message?.parts[0]?.text ?? 'no reason given';
    throw new CommandError(EXIT.failed, 'task-failed', `The task ended as ${task.status.state}: ${safe(reason)}.`, {
      next: `The logs are in ${dataDir}.`,
    });
  }
  const { namespace } = config.temporal;
  if (flags.kill === true) {
    const repeated = await readRepeatedAttempts({ address: temporal.address, namespace }, taskId);
    output.say(`\n${bold('What the kill cost')}, as Temporal has it:`);
    for (const { activity, attempt, reason } of repeated) output.say(`  ${activity}: attempt ${attempt} (${reason})`);
    if (repeated.length === 0) output.say('  nothing: no stage was running at that moment');
    output.say(dim('  Everything else was done once, and was not done again.'));
  }

  const report = task.artifacts?.find(({ name }) => name === 'report.md');
  const reportUrl = urlOf(report);
  const text = await (await target.fetchImpl(reportUrl)).text();
  const reportPath = join(directory, 'report.md');
  await writeFile(reportPath, text);
  const here = (path: string): string => relative(process.cwd(), path) || '.';
  output.say(`\n${green('The report')} is in ${bold(here(reportPath))}. It begins:\n`);
  const beginning = text.split('\n').slice(0, REPORT_LINES).join('\n');
  for (const line of wrap(safe(beginning), output.columns - 3)) output.say(`  ${line}`);
  output.say(`\n${bold('Fetch it over A2A')}, as the caller:`);
  output.say(`  curl -H "Authorization: Bearer $(cat ${here(project.tokenPath)})" ${reportUrl}`);
  const workflowUrl =
    temporal.uiUrl === undefined ? undefined : `${temporal.uiUrl}/namespaces/${namespace}/workflows/${taskId}`;
  if (workflowUrl !== undefined) output.say(`${bold('See each step')} in Temporal's UI:\n  ${workflowUrl}`);
  output.json({ taskId, reportPath, reportUrl, ...(workflowUrl !== undefined && { workflowUrl }) });

  const isKept = flags.keep === true;
  if (isKept || output.isLive) {
    const howLong = isKept
      ? 'Everything keeps running, until Ctrl-C.'
      : 'Everything keeps running for 2 minutes (--keep: for good). Ctrl-C ends it.';
    output.say(dim(`\n${howLong}`));
    const timer = new AbortController();
    const linger = isKept
      ? Promise.withResolvers<never>().promise
      : delay(LINGER_MS, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([stop.requested, linger]);
    timer.abort();
  }
  output.say(dim('\nTo have all of this up again, with this task in it:'));
  const again = `--config ${here(project.configPath)} --data-dir ${here(dataDir)} --port ${port} --operator-port ${operatorPort}`;
  output.say(`  ANALYST_TOKEN=$(cat ${here(project.tokenPath)}) ${commandName()} up ${again}`);
  return EXIT.ok;
}

/** The gateway and the worker, which can be killed and started again. */
class Services implements AsyncDisposable {
  readonly #startOne: (name: 'gateway' | 'worker') => Promise<ServiceProcess>;
  #running: readonly ServiceProcess[] = [];

  constructor(startOne: (name: 'gateway' | 'worker') => Promise<ServiceProcess>) {
    this.#startOne = startOne;
  }

  async start(): Promise<void> {
    const started = await Promise.allSettled([this.#startOne('worker'), this.#startOne('gateway')]);
    this.#running = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    for (const each of started) if (each.status === 'rejected') throw each.reason;
  }

  async killAndRestart(output: Output): Promise<void> {
    const { colors } = output;
    const pids = this.#running.map(({ pid }) => pid);
    await Promise.all(this.#running.map((service) => service.kill()));
    output.say(
      `\n${colors.red('kill -9')}  worker (process ${pids[0] ?? 0}) and gateway (process ${pids[1] ?? 0}): nothing of Longhaul runs now`,
    );
    await this.start();
    const [worker, gateway] = this.#running;
    output.say(
      `${colors.green('started')}  worker (process ${worker?.pid ?? 0}) and gateway (process ${gateway?.pid ?? 0}) again`,
    );
    output.say(
      colors.dim(
        '         The stages that were running start again when their heartbeats have been missing for 10 s.\n',
      ),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.map((service) => service[Symbol.asyncDispose]()));
  }
}

async function openDemoTarget(url: string, operatorUrl: string, project: DemoProject): Promise<Target> {
  const fetchImpl = createCheckedFetch({ url, token: project.token, tokenHint: 'ANALYST_TOKEN' });
  const operatorFetch = createCheckedFetch({ url: operatorUrl, tokenHint: 'LONGHAUL_OPERATOR_TOKEN' });
  return {
    url,
    operatorUrl,
    a2a: await createA2aClient({ url, fetchImpl }),
    operator: createOperatorClient({ operatorUrl, fetchImpl: operatorFetch }),
    fetchImpl,
  };
}

function urlOf(artifact: Artifact | undefined): string {
  const url = artifact?.parts.find((part) => part.url !== undefined)?.url;
  if (url === undefined) throw new CommandError(EXIT.failed, 'no-report', 'The task has completed without a report.');
  return url;
}
