import type { Message } from '../src/domain/a2a.ts';
import { type Envelope, isEnvelopeRef, type KeptEnvelope } from '../src/domain/envelope.ts';
import type { Json } from '../src/domain/json.ts';
import type { StageRun, TaskFacts } from '../src/domain/stage-run.ts';
import { inputOf } from '../src/domain/task-input.ts';
import type { KeptValues } from '../src/storage/kept-values.ts';
import { unlessStorageFails } from './stage-failed-error.ts';

/** What an executor works on, fetched from where it is kept. */
export interface StageInput {
  readonly message: Message;
  readonly input: Json;
  readonly item: Json | undefined;
  readonly upstream: Readonly<Record<string, Envelope>>;
}

/** @throws {StageFailedError} `storage-unavailable` */
export async function loadStageInput(
  kept: KeptValues,
  run: StageRun,
  facts: TaskFacts,
  upstream: Readonly<Record<string, KeptEnvelope>>,
): Promise<StageInput> {
  const { message, inputForm } = facts;
  return {
    message,
    input: inputOf(message, inputForm) ?? null,
    item: run.itemAt === undefined ? run.item : await loadItem(kept, run.itemAt),
    upstream: await loadUpstream(kept, upstream),
  };
}

async function loadItem(kept: KeptValues, { page, at }: NonNullable<StageRun['itemAt']>): Promise<Json | undefined> {
  const items = JSON.parse(await unlessStorageFails('Reading an element', kept.get(page))) as readonly Json[];
  return items[at];
}

/**
 * Large envelopes are parsed when an executor looks at them: each run of a long list is given all that it stands on, and most
 * look at little of it.
 */
async function loadUpstream(
  kept: KeptValues,
  upstream: Readonly<Record<string, KeptEnvelope>>,
): Promise<Readonly<Record<string, Envelope>>> {
  const loaded: Record<string, Envelope> = {};
  for (const [stageId, envelope] of Object.entries(upstream)) {
    const property = isEnvelopeRef(envelope)
      ? parsedOnUse(await unlessStorageFails('Reading an envelope', kept.get(envelope.kept)))
      : { value: envelope, writable: true };
    Object.defineProperty(loaded, stageId, { ...property, enumerable: true, configurable: true });
  }
  return loaded;
}

function parsedOnUse(json: string): PropertyDescriptor {
  let envelope: Envelope | undefined;
  return { get: () => (envelope ??= JSON.parse(json) as Envelope) };
}
