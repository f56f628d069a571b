import { type Envelope, isEnvelopeRef, type KeptEnvelope } from '../src/domain/envelope.ts';
import type { KeptValues } from '../src/storage/kept-values.ts';
import { cutText } from './split-text.ts';
import { limitExceeded, unlessStorageFails } from './stage-failed-error.ts';

/** Up to this size an envelope stays with the workflow. A stage has few envelopes of its own, `for_each` one for each element. */
export const STAGE_INLINE_BYTES_MAX = 8_192;
export const ELEMENT_INLINE_BYTES_MAX = 1_024;

/** Summary, payload and names of files, as JSON: a worker holds it as a whole, several times over. */
export const ENVELOPE_BYTES_MAX = 64 * 1024 * 1024;

const BRIEF_CHARACTERS = 200;

/** The envelope as the workflow is to hold it: itself, or where it is kept. @throws {StageFailedError} `limit-exceeded` */
export async function keepEnvelope(
  kept: KeptValues,
  envelope: Envelope,
  inlineBytesMax: number,
): Promise<KeptEnvelope> {
  const json = stringifyWithin(envelope, ENVELOPE_BYTES_MAX, 'What the stage returned');
  if (Buffer.byteLength(json) <= inlineBytesMax) return envelope;
  const ref = await unlessStorageFails('Storing the envelope', kept.put(json));
  return { summary: cutText(envelope.summary, BRIEF_CHARACTERS), kept: ref };
}

/** A copy of the reader's own. */
export async function loadEnvelope(kept: KeptValues, envelope: KeptEnvelope): Promise<Envelope> {
  if (!isEnvelopeRef(envelope)) return envelope;
  return JSON.parse(await unlessStorageFails('Reading an envelope', kept.get(envelope.kept))) as Envelope;
}

/** @throws {StageFailedError} `limit-exceeded`, naming what it is and the limit */
export function stringifyWithin(value: unknown, bytesMax: number, what: string): string {
  let json: string;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw limitExceeded(what, bytesMax); // longer than a text can be
  }
  if (json.length > bytesMax || Buffer.byteLength(json) > bytesMax) throw limitExceeded(what, bytesMax);
  return json;
}
