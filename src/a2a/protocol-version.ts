import { Failure } from '../domain/failure.ts';

/** A request that names none speaks the version that had no such header (A2A 1.0 §3.6.2). */
export const VERSION_WITHOUT_HEADER = '0.3';

/** A version as Major.Minor, undefined where none is named: a patch digit does not count (A2A 1.0 §3.6). */
export function readVersion(given: string): string | undefined {
  const version = given.trim();
  return version === '' ? undefined : (/^(\d+\.\d+)\.\d+$/.exec(version)?.[1] ?? version);
}

/** @throws {Failure} `version-not-supported` */
export function requireVersion(version: string, supported: readonly string[]): void {
  if (supported.includes(version)) return;
  const named = /^[\w.-]{1,32}$/.test(version) ? ` ${version}` : '';
  throw new Failure(
    'version-not-supported',
    `A2A version${named} is not supported; supported: ${supported.join(', ')}`,
    { metadata: { supportedVersions: supported.join(',') } },
  );
}
