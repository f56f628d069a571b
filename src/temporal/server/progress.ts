/** What is being done while a server is found, fetched or started: one line, now and then with how far it is. */
export interface Progress {
  /** One line for a person, without a newline. */
  readonly message: string;
  /** 0 to 1, when it is known; the same message follows with a growing fraction. */
  readonly fraction?: number;
}

export type OnProgress = (progress: Progress) => void;

const BAR_CELLS = 24;

/** Prints progress: a line per message, and on a terminal a bar that is drawn over. */
export function createProgressPrinter(stream: NodeJS.WriteStream): OnProgress {
  let lastMessage: string | undefined;
  let barIsOpen = false;
  return ({ message, fraction }) => {
    if (fraction !== undefined && stream.isTTY) {
      const filled = Math.round(Math.min(1, Math.max(0, fraction)) * BAR_CELLS);
      const bar = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
      stream.write(`\r${message} ${bar} ${String(Math.round(fraction * 100)).padStart(3)}%`);
      barIsOpen = fraction < 1;
      if (!barIsOpen) stream.write('\n');
    } else if (message !== lastMessage) {
      stream.write(`${barIsOpen ? '\n' : ''}${message}\n`);
      barIsOpen = false;
    }
    lastMessage = message;
  };
}
