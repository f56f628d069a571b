export interface StopSignal extends Disposable {
  /** Resolves with the signal's name when the process is asked to end. */
  readonly requested: Promise<NodeJS.Signals>;
  isRequested(): boolean;
}

/**
 * SIGINT and SIGTERM ask the process to end its work; a second SIGINT is somebody who does not want to wait, and gets
 * what the first would have done without us.
 */
export function listenForStop(): StopSignal {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let isRequested = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (isRequested && signal === 'SIGINT') {
      process.removeListener('SIGINT', stop);
      process.kill(process.pid, 'SIGINT');
    }
    isRequested = true;
    resolve(signal);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    requested: promise,
    isRequested: () => isRequested,
    [Symbol.dispose]() {
      process.removeListener('SIGINT', stop);
      process.removeListener('SIGTERM', stop);
    },
  };
}
