/** Temporal refuses a workflow run its 10,001st signal, an answer or a cancel's follow-up too: progress gets half. */
const SIGNALS_MAX = 5_000;

/** Runs that are counted at the same time; a worker that works on more forgets the longest unused ones. */
const RUNS_MAX = 10_000;

export interface ProgressBudget {
  /** Whether another signal of this run may be sent; counts it if so. */
  take(): boolean;
}

/** Counts the progress signals of each workflow run over all stages that this worker runs for it. */
export function createProgressBudgets(signalsMax = SIGNALS_MAX): (runId: string) => ProgressBudget {
  const sent = new Map<string, number>();
  return (runId) => ({
    take() {
      const count = sent.get(runId) ?? 0;
      if (count >= signalsMax) return false;
      sent.delete(runId); // the one used last stands last
      sent.set(runId, count + 1);
      if (sent.size > RUNS_MAX) for (const oldest of sent.keys()) if (sent.delete(oldest)) break;
      return true;
    },
  });
}
