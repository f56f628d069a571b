/**
 * `full`: an acknowledged task survives a power cut. `normal`: it survives the death of every process, and tasks start
 * faster (32 ms against 46 ms).
 */
export type Durability = 'full' | 'normal';

export interface ServerPorts {
  readonly port: number;
  readonly uiPort: number;
}

const LOOPBACK = '127.0.0.1';

/** Keys of Temporal server 1.32. Unknown ones are ignored silently, so check the names when the version moves. */
const DYNAMIC_CONFIG: Readonly<Record<string, boolean | number>> = {
  // Each stream tails a history with a long poll; the default of 1,200 in flight bounds the number of watchers.
  'frontend.namespaceCount': 20_000,
  // Listing and admission read visibility; the default is 10 a second for the namespace.
  'frontend.namespaceRPS.visibility': 200,
  // Events are memo upserts and rightly bigger than the 2 KB from which the server warns.
  'limit.memoSize.warn': 1_048_576,
  // Without it the caller in the fairness key has no effect.
  'matching.enableFairness': true,
  // At the default of 20 a second, every dispatch waits for the next 50 ms tick.
  'history.transferProcessorMaxPollRPS': 1000,
  'history.visibilityProcessorMaxPollRPS': 1000,
};

export function serverAddress({ port }: ServerPorts): string {
  return `${LOOPBACK}:${port}`;
}

export function serverUiUrl({ uiPort }: ServerPorts): string {
  return `http://${LOOPBACK}:${uiPort}`;
}

/** Arguments of `temporal` for a development server on a SQLite file (an absolute path). */
export function serverArguments(databasePath: string, { port, uiPort }: ServerPorts, durability: Durability): string[] {
  return [
    'server',
    'start-dev',
    '--db-filename',
    databasePath,
    '--ip',
    LOOPBACK,
    '--port',
    String(port),
    '--ui-port',
    String(uiPort),
    '--ui-disable-news-fetch',
    '--log-level',
    'error',
    '--sqlite-pragma',
    'journal_mode=WAL',
    '--sqlite-pragma',
    `synchronous=${durability.toUpperCase()}`,
    ...Object.entries(DYNAMIC_CONFIG).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${JSON.stringify(value)}`,
    ]),
  ];
}

/** The ports out of the arguments of a running server, or undefined when it is not one on this SQLite file. */
export function portsOfServer(commandLine: readonly string[], databasePath: string): ServerPorts | undefined {
  const valueOf = (flag: string): string | undefined => commandLine[commandLine.indexOf(flag) + 1];
  if (!commandLine.includes('start-dev') || valueOf('--db-filename') !== databasePath) return undefined;
  const [port, uiPort] = [Number(valueOf('--port')), Number(valueOf('--ui-port'))];
  return Number.isInteger(port) && Number.isInteger(uiPort) ? { port, uiPort } : undefined;
}
