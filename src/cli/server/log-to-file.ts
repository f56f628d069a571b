import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Logger, LogLevel } from '../../observability/logger.ts';
import { createLogger } from '../../observability/logger.ts';

const LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

/** The log of `longhaul up` is `<data>/longhaul.log`: on the terminal it would bury what the user is told. */
export function createFileLogger(dataDir: string, env: NodeJS.ProcessEnv): { logger: Logger; path: string } {
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, 'longhaul.log');
  return {
    logger: createLogger({ level: logLevel(env), destination: pino.destination({ dest: path, sync: true }) }),
    path,
  };
}

/** LONGHAUL_LOG_LEVEL, `info` unless said. */
export function logLevel(env: NodeJS.ProcessEnv): LogLevel {
  return LEVELS.find((level) => level === env['LONGHAUL_LOG_LEVEL']) ?? 'info';
}

/** Node's own warnings go to the log, too; untyped packages of users' executors cause one each. */
export function logWarnings(logger: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => logger.warn({ error: warning }, 'Node.js warns'));
}
