import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '../domain/failure.ts';

/** A request that names none speaks the version that had no such header (A2A 1.0 §3.6.2). */
const VERSION_WITHOUT_HEADER = '0.3';

/**
 * The protocol version of a request, as Major.Minor: the header `A2A-Version`, or else the query parameter of that name. A patch
 * digit does not count (A2A 1.0 §3.6).
 */
export function requestedVersion(headers: IncomingHttpHeaders, query: URLSearchParams): string {
  return namedVersion(headers, query) ?? VERSION_WITHOUT_HEADER;
}

/** The same; undefined where the request names none. */
export function namedVersion(headers: IncomingHttpHeaders, query: URLSearchParams): string | undefined {
  const header = headers['a2a-version'];
  const given = (typeof header === 'string' ? header : '') || (query.get('A2A-Version') ?? '');
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
