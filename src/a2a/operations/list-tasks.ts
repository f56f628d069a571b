import { Failure } from '../../domain/failure.ts';

/** A2A 1.0 §3.1.4, which is not offered yet. */
export function createListTasks() {
  return async function listTasks(): Promise<never> {
    throw new Failure('unsupported-operation', 'Listing tasks is not supported');
  };
}
