import type { Part } from '../src/domain/a2a.ts';
import type { ArtifactRef, Envelope } from '../src/domain/envelope.ts';
import type { Json } from '../src/domain/json.ts';
import type { StageOutcome, StageRun } from '../src/domain/stage-run.ts';
import type { KeptValues } from '../src/storage/kept-values.ts';
import { checkOutput } from './check-output.ts';
import type { ExecutorRun } from './executor-context.ts';
import {
  ELEMENT_INLINE_BYTES_MAX,
  ENVELOPE_BYTES_MAX,
  keepEnvelope,
  STAGE_INLINE_BYTES_MAX,
  stringifyWithin,
} from './keep-envelope.ts';
import { cutText } from './split-text.ts';
import { limitExceeded, StageFailedError } from './stage-failed-error.ts';
import { ANSWER, RESULT, RESULT_FILE } from './stage-keys.ts';
import { TEXT_BYTES_MAX } from './text-room.ts';
import { ANSWER_FILE } from './text-streams.ts';
import { NotJsonError, toJson } from './to-json.ts';

/** What stays of a summary that is a file. */
const SHORT_SUMMARY_CHARACTERS = 1_000;
/** A Message cannot be told in pieces, and every client must be able to take it. */
const REPLY_BYTES_MAX = 1024 * 1024;
const STATE_CHARACTERS_MAX = 8_000;
const CONTENT_KEYS = ['text', 'raw', 'url', 'data'] as const;

/**
 * Checks what an executor returned and makes it the stage's outcome.
 * @throws {StageFailedError} naming what is wrong with it
 */
export async function toOutcome(
  returned: unknown,
  run: StageRun,
  executor: ExecutorRun,
  kept: KeptValues,
): Promise<StageOutcome> {
  if (!isRecord(returned)) {
    throw invalid('The executor must return an object, such as { summary }, and returned', returned);
  }
  if (returned['reply'] !== undefined) {
    const parts = readReply(returned['reply']);
    if (Buffer.byteLength(JSON.stringify(parts)) <= REPLY_BYTES_MAX) return { outcome: 'reply', parts };
    throw limitExceeded('The reply', REPLY_BYTES_MAX);
  }
  if (returned['state'] !== undefined) return readState(returned['state'], returned['message']);
  const envelope = await readEnvelope(returned, run, executor);
  const isAnswered = executor.hasStreamed(ANSWER);
  if (run.isResult) return { outcome: 'envelope', isAnswered, envelope: await shapeResult(envelope, executor) };
  const inlineBytesMax = run.element === undefined ? STAGE_INLINE_BYTES_MAX : ELEMENT_INLINE_BYTES_MAX;
  return { outcome: 'envelope', isAnswered, envelope: await keepEnvelope(kept, envelope, inlineBytesMax) };
}

async function readEnvelope(
  { summary, payload, artifacts }: Readonly<Record<string, unknown>>,
  { stage }: StageRun,
  executor: ExecutorRun,
): Promise<Envelope> {
  if (typeof summary !== 'string') throw invalid('The summary must be a text, and is', summary);
  const value = payload === undefined ? undefined : readJson(payload, 'payload');
  if (stage.outputSchema !== undefined) checkOutput(stage.outputSchema, value);
  if (artifacts !== undefined) await writeArtifacts(artifacts, executor);
  await executor.streams.finish();
  const missing = stage.emits.filter((name) => !executor.artifacts.has(name));
  if (missing.length > 0) {
    throw new StageFailedError('artifact-missing', `The stage ended without its artifact ${missing.join(', ')}`);
  }
  const shortSummary = await shortenSummary(summary.toWellFormed(), executor);
  return {
    summary: shortSummary,
    ...(value !== undefined && { payload: value }),
    artifacts: executor.artifacts.refs,
  };
}

/** A long answer is a file of the task, and the envelope carries its beginning. An answer that was streamed stands. */
async function shortenSummary(summary: string, executor: ExecutorRun): Promise<string> {
  const bytes = Buffer.byteLength(summary);
  const isStreamed = executor.hasStreamed(ANSWER);
  if (isStreamed ? bytes <= TEXT_BYTES_MAX : executor.room.hold(ANSWER, bytes)) return summary;
  if (!isStreamed) {
    const ref = await executor.store(ANSWER_FILE, Buffer.from(summary));
    executor.artifacts.record(ref.name, ref);
  }
  return cutText(summary, SHORT_SUMMARY_CHARACTERS);
}

/** A payload for which the task has no room is shown as a file, and needed nowhere else. */
async function shapeResult(envelope: Envelope, executor: ExecutorRun): Promise<Envelope> {
  const { payload, ...rest } = envelope;
  if (payload === undefined) return envelope;
  const bytes = Buffer.from(stringifyWithin(payload, ENVELOPE_BYTES_MAX, 'The payload'));
  if (executor.room.hold(RESULT, bytes.byteLength)) return envelope;
  return { ...rest, artifacts: [...rest.artifacts, await executor.store(RESULT_FILE, bytes)] };
}

/** Beside `writeArtifact`, artifacts may come with the result; what `writeArtifact` answered may be among them. */
async function writeArtifacts(artifacts: unknown, executor: ExecutorRun): Promise<void> {
  if (!Array.isArray(artifacts)) throw invalid('The artifacts must be a list, and are', artifacts);
  for (const artifact of artifacts as unknown[]) {
    const isWritten = isRecord(artifact) && executor.artifacts.refs.includes(artifact as unknown as ArtifactRef);
    if (!isWritten) await executor.context.writeArtifact(artifact as never);
  }
}

function readState(state: unknown, message: unknown): StageOutcome {
  if (state !== 'rejected' && state !== 'auth-required') {
    throw invalid('The state must be rejected or auth-required, and is', state);
  }
  if (typeof message !== 'string')
    throw invalid(`With the state ${state}, the message must be a text, and is`, message);
  return { outcome: state, message: cutText(message, STATE_CHARACTERS_MAX) };
}

function readReply(reply: unknown): readonly Part[] {
  if (typeof reply === 'string') return [{ text: reply, mediaType: 'text/plain' }];
  if (!Array.isArray(reply) || reply.length === 0) throw invalid('The reply must be a text or parts, and is', reply);
  return (reply as unknown[]).map((given, index) => {
    const part = readJson(given, `reply[${index}]`);
    const keys = isRecord(part) ? CONTENT_KEYS.filter((key) => part[key] !== undefined) : [];
    if (keys.length === 1 && (keys[0] === 'data' || typeof (part as Part)[keys[0] ?? 'text'] === 'string')) {
      return part as Part;
    }
    throw new StageFailedError(
      'result-invalid',
      `reply[${index}] must be a part: an object with exactly one of ${CONTENT_KEYS.join(', ')}`,
    );
  });
}

function readJson(value: unknown, path: string): Json {
  try {
    return toJson(value, path);
  } catch (error) {
    if (error instanceof NotJsonError) throw new StageFailedError('result-invalid', error.message);
    throw error;
  }
}

function invalid(what: string, value: unknown): StageFailedError {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
  return new StageFailedError('result-invalid', `${what} ${kind}`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
