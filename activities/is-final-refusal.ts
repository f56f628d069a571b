/** gRPC codes with which the server says that the same signal will be refused again: INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION. */
const FINAL_CODES: readonly unknown[] = [3, 5, 9];
const CAUSES_MAX = 5;

/** Whether sending the signal again is of no use: the workflow is gone, or takes no more. */
export function isFinalRefusal(error: unknown): boolean {
  let each: unknown = error;
  for (let depth = 0; depth < CAUSES_MAX && typeof each === 'object' && each !== null; depth += 1) {
    const { code, name, cause } = each as Record<'code' | 'name' | 'cause', unknown>;
    if (FINAL_CODES.includes(code) || name === 'WorkflowNotFoundError') return true;
    each = cause;
  }
  return false;
}
