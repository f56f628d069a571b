/** Why a stage failed, for programs (`StageFailureDetail.reason`), and whether trying again can help. */
const RETRYABLE_BY_REASON = {
  'executor-failed': true,
  'result-invalid': true,
  'output-invalid': true,
  'artifact-missing': true,
  'gate-not-declared': false,
  'executor-not-found': false,
  'output-schema-invalid': false,
  /** More than a documented limit allows: the same again would be the same. */
  'limit-exceeded': false,
  /** Not the executor's fault: counted against nothing but Temporal's attempts. */
  'storage-unavailable': true,
} as const;

export type StageFailureReason = keyof typeof RETRYABLE_BY_REASON;

/** A failure that this side found, its message for operators. */
export class StageFailedError extends Error {
  override readonly name = 'StageFailedError';
  readonly reason: StageFailureReason;

  constructor(reason: StageFailureReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }

  get retryable(): boolean {
    return RETRYABLE_BY_REASON[this.reason];
  }

  /** Whether the caller may read the message. */
  get isPublic(): boolean {
    return this.reason === 'limit-exceeded';
  }
}

export function limitExceeded(what: string, max: number, unit = 'bytes'): StageFailedError {
  return new StageFailedError('limit-exceeded', `${what} exceeds the limit of ${max} ${unit}`);
}

/** Marks a store's own failure, so that it is not taken for the executor's. */
export async function unlessStorageFails<Result>(what: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StageFailedError) throw error; // of whoever gave the store its content
    const reason = error instanceof Error ? error.message : String(error);
    throw new StageFailedError('storage-unavailable', `${what} failed: ${reason}`, error);
  }
}
