import { isIP } from 'node:net';
import { type OutboundPolicy, plainHost } from './outbound-policy.ts';

const URL_CHARACTERS_MAX = 2048;

/** Names that no public DNS has (RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`). */
const PRIVATE_NAMES = /(^|\.)(localhost|local|internal|home\.arpa|onion|test|invalid)$/;

export type CheckedUrl = { readonly url: URL } | { readonly fault: string };

/**
 * What can be said of a URL without asking anyone: names are looked up when a request is made, as their addresses may be others by
 * then. The URL parser has turned every spelling of an IPv4 address (`0x7f.1`, `2130706433`) into the usual one.
 */
export function checkOutboundUrl(text: string, policy: OutboundPolicy): CheckedUrl {
  if (text.length > URL_CHARACTERS_MAX) return { fault: `must not be longer than ${URL_CHARACTERS_MAX} characters` };
  if (!URL.canParse(text)) return { fault: 'must be an absolute URL' };
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { fault: 'must be an https URL' };
  if (url.username !== '' || url.password !== '') return { fault: 'must hold no user name and no password' };
  const host = plainHost(url.hostname);
  if (policy.allowsHost(host, portOf(url))) return { url };
  if (isIP(host) !== 0) {
    if (!policy.allowsAddress(host)) return { fault: 'must not lead to a private, local or reserved address' };
  } else if (!host.includes('.') || PRIVATE_NAMES.test(host)) {
    return { fault: 'must have a public host name' };
  }
  return url.protocol === 'https:' ? { url } : { fault: 'must be an https URL' };
}

export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
