import { Failure } from '../../domain/failure.ts';

/** ProtoJSON's other spelling, of the fields that paths set. */
const SNAKE_CASE: Readonly<Record<string, string>> = { taskId: 'task_id' };

/**
 * The request that a body (or a query) and a path make together. What the path says may be said again and not otherwise: work
 * for another tenant than the one in the log would be done without a trace.
 * @throws {Failure} `invalid-request`
 */
export function bindFields(body: unknown, path: ReadonlyMap<string, string>): Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Failure('invalid-request', 'The body must be a JSON object');
  }
  const fields = new Map(Object.entries(body));
  for (const [name, value] of path) {
    for (const spelling of [name, SNAKE_CASE[name] ?? name]) {
      const said = fields.get(spelling) as unknown;
      if (said !== undefined && said !== null && said !== '' && said !== value) {
        const description = 'must be what the path says';
        throw new Failure('invalid-request', `${name} ${description}`, { violations: [{ field: name, description }] });
      }
      fields.delete(spelling);
    }
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}
