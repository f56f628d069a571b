/**
 * How far one run of the workflow may go. A run can be continued as new only while no activity is open (the new one would not
 * hear of it), and Temporal ends a workflow, without a word to it, at 51,200 events or 50 MiB.
 *
 * So, once a history is long:
 *  - with nothing open, nothing starts, and the workflow is continued as new at once;
 *  - else nothing starts for `holdMs`, so that what is open may come to its end; most stages are short;
 *  - what is still open then is a long stage, and must not hold up the others: they start again, for so many events more, and
 *    are held again;
 *  - near Temporal's limits nothing starts any more until the run is continued as new. What is open ends by itself, or by its
 *    timeout; a stage that has none, and never ends, holds up the others from here on;
 *  - if what is open and what is sent to the task fills even the rest, the task ends as FAILED and says why.
 *
 * A run that is not held always gets somewhere, and one that is continued as new begins with a short history: so all that can
 * start is started in the end.
 */
export interface HistoryState {
  readonly historyLength: number;
  readonly historySize: number;
  readonly continueAsNewSuggested: boolean;
}

const MEBIBYTE = 1024 * 1024;
const STEP_EVENTS = 4_000;
const LAST_START = { events: 35_000, bytes: 35 * MEBIBYTE } as const;
export const FULL = { events: 45_000, bytes: 45 * MEBIBYTE } as const;

export interface HistoryRoomOptions {
  readonly state: () => HistoryState;
  /** Workflow time. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly holdMs: number;
  /** Long at this many events at the latest; when Temporal suggests it otherwise. */
  readonly eventsMax: number;
}

export class HistoryRoom {
  private readonly options: HistoryRoomOptions;
  /** Starts are free up to this length. */
  private freeTo = 0;
  private isHolding = false;

  constructor(options: HistoryRoomOptions) {
    this.options = options;
  }

  /** Whether to continue as new at the next moment with nothing open. */
  get isLong(): boolean {
    const { continueAsNewSuggested, historyLength } = this.options.state();
    return continueAsNewSuggested || historyLength >= this.options.eventsMax;
  }

  get isFull(): boolean {
    return isOver(this.options.state(), FULL);
  }

  /** Whether something may start now; `onFreed` is called when it may again after it might not for a while. */
  mayStart(isIdle: boolean, onFreed: () => void): boolean {
    if (!this.isLong) return true;
    const state = this.options.state();
    if (isIdle || isOver(state, LAST_START)) return false;
    if (!this.isHolding && state.historyLength < this.freeTo) return true;
    if (!this.isHolding) void this.hold(onFreed);
    return false;
  }

  private async hold(onFreed: () => void): Promise<void> {
    this.isHolding = true;
    await this.options.sleep(this.options.holdMs);
    this.isHolding = false;
    this.freeTo = this.options.state().historyLength + STEP_EVENTS;
    onFreed();
  }
}

function isOver({ historyLength, historySize }: HistoryState, { events, bytes }: { events: number; bytes: number }) {
  return historyLength >= events || historySize >= bytes;
}
