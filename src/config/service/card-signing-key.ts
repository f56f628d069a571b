import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf } from '../error-text.ts';
import type { YamlFile } from '../yaml-file.ts';
import type { ProblemList } from './problem-list.ts';
import type { ServiceShape } from './shapes.ts';

/** Those that a JWS can be made with: of RSA, Edwards and NIST curves. */
const TYPES: readonly string[] = ['ed25519', 'rsa', 'prime256v1', 'secp384r1', 'secp521r1'];

/** The key that cards are signed with: PKCS#8 in PEM, without a passphrase. */
export async function readCardSigningKey(
  { card }: ServiceShape,
  file: YamlFile,
  configDirectory: string,
  problems: ProblemList,
): Promise<KeyObject | undefined> {
  if (card.signing_key === undefined) return undefined;
  const fault = (text: string): void => {
    problems.add(file, ['card', 'signing_key'], text);
  };
  const path = resolve(configDirectory, card.signing_key);
  let pem: string;
  try {
    pem = await readFile(path, 'utf8');
  } catch (error) {
    fault(
      `cannot be read: ${messageOf(error)}; make one with: openssl genpkey -algorithm ed25519 -out ${card.signing_key}`,
    );
    return undefined;
  }
  try {
    const key = createPrivateKey(pem);
    const { asymmetricKeyType: type = '', asymmetricKeyDetails: details } = key;
    if (TYPES.includes(details?.namedCurve ?? type)) return key;
    fault('must be an Ed25519, RSA or NIST curve key');
  } catch {
    fault('must be a private key in PEM, without a passphrase'); // never the library's word on it: it may quote the file
  }
  return undefined;
}
