import type { ServiceConfiguration } from '../config/configuration.ts';
import { Failure } from '../domain/failure.ts';
import type { Call } from './call.ts';

/** What every operation asks of a call before it looks at anything. */
export type AdmitCall = (call: Call) => void;

/**
 * The tenant is one of the caller's: another one's, or none's, is like a task that does not exist. And the extensions without
 * which nothing may be asked are declared (A2A 1.0 §3.3.4).
 */
export function createAdmitCall({ callers, extensions }: ServiceConfiguration): AdmitCall {
  const tenantsOf = new Map(callers.map(({ id, tenants }) => [id, tenants]));
  const required = extensions.filter((extension) => extension.required).map(({ uri }) => uri);
  return function admitCall({ caller, tenant, extensions: declared = [] }) {
    if (tenant !== undefined && tenantsOf.get(caller)?.includes(tenant) !== true) {
      throw new Failure('task-not-found', 'Task not found');
    }
    const missing = required.filter((uri) => !declared.includes(uri));
    if (missing.length === 0) return;
    throw new Failure(
      'extension-required',
      `This agent requires an extension: name it in A2A-Extensions: ${missing.join(', ')}`,
    );
  };
}
