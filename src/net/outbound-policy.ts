import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Where requests of this product may go, whoever names the address. */
export interface OutboundPolicy {
  /** Whether an operator has named this host, with this port or with any: then nothing else is asked. */
  allowsHost(host: string, port: number): boolean;
  /** Whether a connection to this address may be made: it is public, or an operator has named its network. */
  allowsAddress(address: string): boolean;
}

/** An entry of the operator's list: a host with or without a port, or a network. */
type Entry =
  | { readonly host: string; readonly port: number | undefined }
  | { readonly network: [ipaddr.IPv4 | ipaddr.IPv6, number] };

/** @param allowed entries that `outboundEntryFault` finds no fault with. */
export function createOutboundPolicy(allowed: readonly string[]): OutboundPolicy {
  const entries = allowed.map(readEntry).filter((entry) => entry !== undefined);
  return {
    allowsHost: (host, port) =>
      entries.some(
        (entry) =>
          'host' in entry && entry.host === plainHost(host) && (entry.port === undefined || entry.port === port),
      ),
    allowsAddress(text) {
      if (!ipaddr.isValid(text)) return false;
      const address = ipaddr.parse(text);
      return isPublic(address) || entries.some((entry) => 'network' in entry && isWithin(address, entry.network));
    },
  };
}

export const OUTBOUND_ENTRY_FORM =
  'must be a host, a host and port, or a network, such as hooks.internal, 127.0.0.1:9000 or 10.0.0.0/8';

/** What is wrong with an entry of the operator's list. */
export function outboundEntryFault(text: string): string | undefined {
  return readEntry(text) === undefined ? OUTBOUND_ENTRY_FORM : undefined;
}

/** Lower case, without the brackets of an IPv6 address, and without the dot that ends a full name. */
export function plainHost(host: string): string {
  const bare = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  return isIP(bare) === 6 ? ipaddr.parse(bare).toString() : bare;
}

function readEntry(text: string): Entry | undefined {
  if (text.includes('/')) {
    return ipaddr.isValidCIDR(text) ? { network: ipaddr.parseCIDR(text) } : undefined;
  }
  if (isIP(text) === 6) return { host: plainHost(text), port: undefined };
  const [, host = '', port] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (host === '' || (host.startsWith('[') && isIP(host.slice(1, -1)) !== 6)) return undefined;
  return { host: plainHost(host), port: port === undefined ? undefined : Number(port) };
}

/** Global unicast as IANA's registries have it. An address that carries an IPv4 one inside is as public as that. */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const range = address.range();
  if (address instanceof ipaddr.IPv4) return range === 'unicast';
  // NAT64: how hosts without IPv4 reach everything that has no IPv6.
  if (address.match(NAT64)) return isPublic(new ipaddr.IPv4(address.toByteArray().slice(-4)));
  return range === 'unicast' && address.match(GLOBAL_UNICAST);
}

const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, network: [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean {
  // Dual-stack sockets speak of 10.0.0.1 as ::ffff:10.0.0.1.
  const plain = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
  return plain.kind() === network[0].kind() && plain.match(network);
}
