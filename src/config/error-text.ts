/** What a caught value says; an error of another realm is one, too. */
export function messageOf(cause: unknown): string {
  return isRecord(cause) && typeof cause['message'] === 'string' ? cause['message'] : String(cause);
}

/** Such as `ENOENT`. */
export function errorCode(cause: unknown): string | undefined {
  return isRecord(cause) && typeof cause['code'] === 'string' ? cause['code'] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
