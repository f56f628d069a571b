import pico from 'picocolors';

export type Colors = ReturnType<typeof pico.createColors>;

/** Where a command's words go. Results go to standard output, what is said beside them to standard error. */
export interface Output {
  readonly isJson: boolean;
  /** Whether a person looks at standard output on a terminal: lines may be drawn over. */
  readonly isLive: boolean;
  readonly colors: Colors;
  readonly columns: number;
  /** A line of the result, for people: nothing with --json. */
  say(line?: string): void;
  /** A line beside the result, for people: nothing with --json. */
  note(line: string): void;
  /** The result as one line of JSON: nothing without --json. */
  json(document: unknown): void;
  /** Standard output, for a view that draws over itself. */
  draw(text: string): void;
}

export interface OutputStreams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** Colours on a terminal only. To Node, what is none is undefined, which would leave the choice to picocolors. */
export function colorsFor({ isTTY }: { readonly isTTY?: boolean }): Colors {
  return pico.createColors(isTTY === true && process.env['NO_COLOR'] === undefined);
}

export function createOutput({ stdout, stderr }: OutputStreams, { isJson }: { isJson: boolean }): Output {
  // A reader that has seen enough (`longhaul watch … | head`) is no error.
  for (const stream of [stdout, stderr]) {
    if (stream.listenerCount('error') === 0) stream.on('error', endQuietlyOnBrokenPipe);
  }
  return {
    isJson,
    isLive: stdout.isTTY && !isJson && process.env['TERM'] !== 'dumb',
    colors: colorsFor(stdout),
    get columns() {
      return stdout.isTTY ? stdout.columns : 100;
    },
    say: (line = '') => {
      if (!isJson) stdout.write(`${line}\n`);
    },
    note: (line) => {
      if (!isJson) stderr.write(`${line}\n`);
    },
    json: (document) => {
      if (isJson) stdout.write(`${JSON.stringify(document)}\n`);
    },
    draw: (text) => stdout.write(text),
  };
}

function endQuietlyOnBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.kill(process.pid, 'SIGTERM');
}
