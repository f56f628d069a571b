/** The only reader of the environment. Two steps: environment and flags to settings, `a2a.yaml` to the service; then frozen. */
import type { Configuration } from './configuration.ts';
import { isLoopback } from './loopback.ts';
import { loadService } from './service/load-service.ts';
import { parseSettings, type SettingsSource } from './settings.ts';

export interface ConfigSource extends SettingsSource {
  /** `worker`: a process that serves no callers, and needs neither their tokens nor safe listeners. */
  readonly role?: 'server' | 'worker';
}

/** @throws {ConfigurationError} with every problem of the environment; with every problem of the files when there is none. */
export async function parseConfig({ role = 'server', ...source }: ConfigSource): Promise<Configuration> {
  const isServing = role === 'server';
  const { isInsecure, ...settings } = await parseSettings(source, { isServing });
  const service = await loadService({
    configPath: settings.configPath,
    cwd: source.cwd,
    ...(isServing && { readVariable: (name) => source.env[name] || undefined }),
    mayBeOpen: {
      anonymous: !isServing || isInsecure || isLoopback(settings.http.host),
      http: !isServing || isInsecure,
    },
  });
  return deepFreeze({ ...settings, service });
}

/** Bytes (the hashes of tokens) cannot be frozen, and nobody writes to them. */
function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}
