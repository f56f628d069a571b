import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Where notifications go, and what they prove themselves with. */
export interface WebhookTarget {
  readonly url: string;
  readonly token?: string;
  readonly authentication?: { readonly scheme: string; readonly credentials?: string };
}

/** Which webhook of which task a sealed target belongs to: it opens as no other's. */
export interface SealPlace {
  readonly taskId: string;
  readonly webhookId: string;
}

export interface TargetSeal {
  seal(target: WebhookTarget, place: SealPlace): string;
  /** @throws SealBrokenError when it was sealed with another secret, or for another place. */
  open(sealed: string, place: SealPlace): WebhookTarget;
  /** The same for the same target, and telling nothing of it. */
  fingerprint(target: WebhookTarget): string;
}

export class SealBrokenError extends Error {
  override readonly name = 'SealBrokenError';
}

/** First byte of what is sealed: a later key, or another cipher, takes the next number. */
const VERSION = 1;
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @param secret `LONGHAUL_SECRET`, which gateways and workers share */
export function createTargetSeal(secret: string): TargetSeal {
  const key = deriveKey(secret, 'webhook target v1');
  const fingerprintKey = deriveKey(secret, 'webhook fingerprint v1');
  return {
    seal(target, place) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, key, iv).setAAD(placeBytes(place));
      const body = Buffer.concat([cipher.update(JSON.stringify(target), 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(sealed, place) {
      try {
        const bytes = Buffer.from(sealed, 'base64url');
        if (bytes[0] !== VERSION) throw new RangeError('unknown version');
        const iv = bytes.subarray(1, 1 + IV_BYTES);
        const tag = bytes.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES);
        const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
          .setAAD(placeBytes(place))
          .setAuthTag(tag);
        const text = Buffer.concat([decipher.update(bytes.subarray(1 + IV_BYTES + TAG_BYTES)), decipher.final()]);
        return JSON.parse(text.toString('utf8')) as WebhookTarget;
      } catch {
        throw new SealBrokenError('The webhook cannot be decrypted');
      }
    },
    fingerprint: ({ url, token, authentication }) =>
      createHmac('sha256', fingerprintKey)
        .update(JSON.stringify([url, token, authentication?.scheme, authentication?.credentials]))
        .digest('base64url'),
  };
}

function deriveKey(secret: string, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'longhaul', use, KEY_BYTES));
}

function placeBytes({ taskId, webhookId }: SealPlace): Buffer {
  return Buffer.from(JSON.stringify([taskId, webhookId]));
}
