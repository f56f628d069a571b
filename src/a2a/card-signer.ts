import { createPublicKey, type KeyObject } from 'node:crypto';
import { type AgentCard as SdkCard, generateAgentCardSignature } from '@a2a-js/sdk';
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose';
import type { JsonObject } from '../domain/json.ts';

/** Signs cards as A2A 1.0 §8.4 has it: a JWS over the card's canonical form (RFC 8785). */
export interface CardSigner {
  /** @param card its ProtoJSON */
  sign(card: JsonObject): Promise<JsonObject>;
  /** The public key as a JSON Web Key Set (RFC 7517). */
  keySet(): Promise<{ readonly keys: readonly JWK[] }>;
}

/** JWS algorithms (RFC 7518, RFC 8037) by the type of the key, or by its curve. */
const ALGORITHMS: Readonly<Record<string, string>> = {
  ed25519: 'EdDSA',
  rsa: 'RS256',
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/** Undefined for a key that no signature of a card can be made with. */
function signatureAlgorithm(key: KeyObject): string | undefined {
  return ALGORITHMS[key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? ''];
}

/** @param keySetUrl where others find the key set */
export function createCardSigner(key: KeyObject, keySetUrl: string): CardSigner {
  const alg = signatureAlgorithm(key);
  if (alg === undefined) throw new TypeError('The signing key is of no type that signs cards');
  const publicKey = describePublicKey(key, alg);
  return {
    async sign(card) {
      const { kid } = await publicKey;
      const sign = generateAgentCardSignature(key, { alg, kid, typ: 'JOSE', jku: keySetUrl });
      // The generator canonicalizes what it is given: the ProtoJSON that is served, not the SDK's own form of it.
      return (await sign(card as unknown as SdkCard)) as unknown as JsonObject;
    },
    keySet: async () => ({ keys: [await publicKey] }),
  };
}

async function describePublicKey(key: KeyObject, alg: string): Promise<JWK & { kid: string }> {
  const jwk = await exportJWK(createPublicKey(key));
  // The same key has the same ID on every replica, and after every restart.
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg, use: 'sig' };
}
