import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { OutboundPolicy } from './outbound-policy.ts';

/** A name that leads, or has come to lead, where requests may not go. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
  readonly code = 'ADDRESS_REFUSED';

  constructor() {
    super('The host has an address that is not public');
  }
}

/** Looks a name up, asking for all of its addresses. */
export type Resolve = (host: string, options: LookupOptions & { all: true }) => Promise<readonly LookupAddress[]>;

/**
 * The lookup of a connection: the address that is connected to is one that was checked, in this very lookup, so a name that changes
 * between a check and its use gains nothing. One address that is not public spoils a name.
 */
export function createGuardedLookup(policy: OutboundPolicy, resolve: Resolve = resolveBySystem): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { family: options.family ?? 0, hints: options.hints ?? 0, all: true }).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined || !addresses.every(({ address }) => policy.allowsAddress(address))) {
          callback(new AddressRefusedError(), '', 0);
        } else if (options.all === true) {
          callback(null, [...addresses]);
        } else {
          callback(null, first.address, first.family);
        }
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, '', 0),
    );
  };
}

function resolveBySystem(host: string, options: LookupOptions & { all: true }): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(host, options, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });
}
