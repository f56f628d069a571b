import type { IncomingHttpHeaders } from 'node:http';
import { readVersion, VERSION_WITHOUT_HEADER } from '../a2a/protocol-version.ts';

/** The protocol version of a request, as Major.Minor: the header `A2A-Version`, or else the query parameter of that name. */
export function requestedVersion(headers: IncomingHttpHeaders, query: URLSearchParams): string {
  return namedVersion(headers, query) ?? VERSION_WITHOUT_HEADER;
}

/** The same; undefined where the request names none. */
export function namedVersion(headers: IncomingHttpHeaders, query: URLSearchParams): string | undefined {
  const header = headers['a2a-version'];
  const named = typeof header === 'string' ? readVersion(header) : undefined;
  return named ?? readVersion(query.get('A2A-Version') ?? '');
}
