import { access } from 'node:fs/promises';
import { Failure } from '../domain/failure.ts';
import { markerPath } from './store-marker.ts';

const RETRY_AFTER_SECONDS = 1;

/**
 * The store cannot be reached, or another folder stands in its place: it may come back, and nothing is lost. What is wrong is for
 * operators, and so stands in the cause.
 */
class StoreAwayError extends Failure {
  override readonly name = 'StoreAwayError';

  constructor(detail: string, cause: unknown) {
    super('unavailable', 'The service is not available for the moment', {
      cause: new Error(detail, { cause }),
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}

/**
 * A share that is not mounted is an empty folder: what is written there is lost when the share comes back, and what is not
 * found there is not missing.
 * @throws {StoreAwayError} when the folder does not bear the mark of a store
 */
export async function requireMarker(directory: string): Promise<void> {
  try {
    await access(markerPath(directory));
  } catch (error) {
    throw new StoreAwayError(`${directory} is not the store that was set up: its mark is not there`, error);
  }
}

/** @throws {StoreAwayError} for what the file system says; any other error as it is */
export async function unlessAway<Result>(directory: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Failure || typeof (error as NodeJS.ErrnoException).code !== 'string') throw error;
    throw new StoreAwayError(`The store ${directory} cannot be used: ${(error as Error).message}`, error);
  }
}
