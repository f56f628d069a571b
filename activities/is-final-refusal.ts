/** gRPC codes with which the server says that the same signal will be refused again: INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION. */
const FINAL_CODES: readonly unknown[] = [3, 5, 9];
const CAUSES_MAX = 5;

/** Kinds of our own `Failure` that say the same. */
const FINAL_KINDS: readonly unknown[] = ['payload-too-large', 'task-not-found', 'invalid-request'];

/** Whether sending the signal again is of no use: the workflow is gone, or takes no more. */
export function isFinalRefusal(error: unknown): boolean {
  let each: unknown = error;
  for (let depth = 0; depth < CAUSES_MAX && typeof each === 'object' && each !== null; depth += 1) {
    const { code, kind, cause } = each as Record<'code' | 'kind' | 'cause', unknown>;
    if (FINAL_CODES.includes(code) || FINAL_KINDS.includes(kind)) return true;
    each = cause;
  }
  return false;
}
