import type { Part } from '../src/domain/a2a.ts';
import type { ArtifactRef } from '../src/domain/envelope.ts';
import type { Json } from '../src/domain/json.ts';
import type { StageOutcome, StageRun } from '../src/domain/stage-run.ts';
import { checkOutput } from './check-output.ts';
import type { ExecutorRun } from './executor-context.ts';
import { cutText } from './split-text.ts';
import { StageFailedError } from './stage-failed-error.ts';
import { ANSWER, RESULT } from './stage-keys.ts';
import { ANSWER_FILE, TEXT_BYTES_MAX } from './text-streams.ts';
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
export async function toOutcome(returned: unknown, run: StageRun, executor: ExecutorRun): Promise<StageOutcome> {
  if (!isRecord(returned)) {
    throw invalid('The executor must return an object, such as { summary }, and returned', returned);
  }
  if (returned['reply'] !== undefined) {
    const parts = readReply(returned['reply']);
    if (Buffer.byteLength(JSON.stringify(parts)) <= REPLY_BYTES_MAX) return { outcome: 'reply', parts };
    throw new StageFailedError('result-invalid', 'The reply is larger than 1 MiB: return artifacts instead');
  }
  if (returned['state'] !== undefined) return readState(returned['state'], returned['message']);
  return readEnvelope(returned, run, executor);
}

async function readEnvelope(
  { summary, payload, artifacts }: Readonly<Record<string, unknown>>,
  { stage }: StageRun,
  executor: ExecutorRun,
): Promise<StageOutcome> {
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
  const payloadFile = value === undefined ? [] : await storeLargePayload(value, executor);
  return {
    outcome: 'envelope',
    isAnswered: executor.hasStreamed(ANSWER),
    envelope: {
      summary: shortSummary,
      ...(value !== undefined && { payload: value }),
      artifacts: [...executor.artifacts.refs, ...payloadFile],
    },
  };
}

/** A long answer is a file of the task, and the envelope carries its beginning. An answer that was streamed stands. */
async function shortenSummary(summary: string, executor: ExecutorRun): Promise<string> {
  if (summary.length <= TEXT_BYTES_MAX && Buffer.byteLength(summary) <= TEXT_BYTES_MAX) return summary;
  if (!executor.hasStreamed(ANSWER)) {
    const ref = await executor.store(ANSWER_FILE, Buffer.from(summary));
    executor.artifacts.record(ref.name, ref);
  }
  return cutText(summary, SHORT_SUMMARY_CHARACTERS);
}

/** A payload too large for an event of a stream is shown as a file; later stages get it as it is. */
async function storeLargePayload(payload: Json, executor: ExecutorRun): Promise<readonly ArtifactRef[]> {
  const bytes = Buffer.from(JSON.stringify(payload));
  if (bytes.byteLength <= TEXT_BYTES_MAX) return [];
  return [await executor.store({ artifactId: RESULT, name: 'result.json', mediaType: 'application/json' }, bytes)];
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
