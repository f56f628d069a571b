import { hkdfSync } from 'node:crypto';

/** A key of 32 bytes for one purpose, out of the secret that all replicas share: the same on each, and no way back. */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `longhaul/${purpose}`, 32));
}
