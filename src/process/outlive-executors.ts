import { inspect } from 'node:util';
import type { Logger } from '../observability/logger.ts';

/**
 * Executors run in this process. What one of them throws where nobody can catch it (a promise that it forgot, a timer, an
 * emitter) is logged, and not the end of the worker: every other task would pay for it, and the same task would do it again to the
 * next worker.
 */
export function outliveExecutors(logger: Logger): Disposable {
  const report = (what: string) => (thrown: unknown) => {
    try {
      const error = thrown instanceof Error ? thrown : new Error(`What is no Error: ${inspect(thrown)}`);
      logger.error({ error }, what);
    } catch {
      logger.error(what); // it throws again when it is read
    }
  };
  const onRejection = report('A promise was rejected that nobody awaits, mostly by an executor; the worker goes on');
  const onException = report('An error was thrown that nobody can catch, mostly by an executor; the worker goes on');
  process.on('unhandledRejection', onRejection);
  process.on('uncaughtException', onException);
  return {
    [Symbol.dispose]() {
      process.off('unhandledRejection', onRejection);
      process.off('uncaughtException', onException);
    },
  };
}
