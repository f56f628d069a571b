import type { Message } from '../domain/a2a.ts';
import { Failure } from '../domain/failure.ts';
import type { Json } from '../domain/json.ts';
import type { Publication } from '../domain/pipeline.ts';

/** Keys of a message's metadata that name its publication; the first that is there counts. */
const NAMING_KEYS = ['publication', 'skillHint', 'skill'] as const;

/**
 * Which publication a message is for: the one that its metadata names, else the default, else the only one that its caller
 * may use. One that the caller may not use is answered like one that does not exist.
 * @throws {Failure} `invalid-request`, naming what the caller may use.
 */
export function choosePublication(
  message: Message,
  request: {
    readonly caller: string;
    readonly publications: readonly Publication[];
    readonly defaultSkill: string | null;
  },
): Publication {
  const allowed = request.publications.filter(({ allowedCallers }) => allowedCallers.includes(request.caller));
  const named = namedIn(message.metadata ?? {});
  if (named !== undefined) {
    const fitting = allowed.filter(({ id }) => named.names.includes(id));
    const [only, other] = fitting;
    if (only === undefined) throw unknown(named, allowed);
    if (other !== undefined) throw unclear(named.key, fitting);
    return only;
  }
  const fallback = allowed.find(({ id }) => id === request.defaultSkill);
  if (fallback !== undefined) return fallback;
  const [only, other] = allowed;
  if (only === undefined) throw unclear('skillHint', []);
  if (other !== undefined) throw unclear('skillHint', allowed);
  return only;
}

interface Named {
  readonly key: string;
  readonly names: readonly string[];
}

function namedIn(metadata: Readonly<Record<string, Json>>): Named | undefined {
  for (const key of NAMING_KEYS) {
    const name = metadata[key];
    if (name === undefined || name === null || name === '') continue;
    if (typeof name !== 'string') throw refused(key, 'must be a string');
    return { key, names: [name] };
  }
  const targets = metadata['targets'];
  if (targets === undefined || targets === null) return undefined;
  const isList = Array.isArray(targets) && targets.every((target) => typeof target === 'string');
  if (!isList) throw refused('targets', 'must be a list of strings');
  return targets.length === 0 ? undefined : { key: 'targets', names: targets };
}

function unknown({ key, names }: Named, allowed: readonly Publication[]): Failure {
  return refused(key, `names no publication that you may use; ${choices(allowed)}`, {
    text: `Unknown capability: ${names.join(', ')}; ${choices(allowed)}`,
    category: 'unknown-capability',
  });
}

function unclear(key: string, among: readonly Publication[]): Failure {
  const description = among.length === 0 ? choices(among) : `must name one publication; ${choices(among)}`;
  return refused(key, description);
}

function choices(allowed: readonly Publication[]): string {
  if (allowed.length === 0) return 'no publication is open to you';
  return `you may use ${allowed.map(({ id }) => `"${id}"`).join(', ')}`;
}

function refused(
  key: string,
  description: string,
  { text, category = 'invalid-input' }: { text?: string; category?: string } = {},
): Failure {
  const field = `message.metadata.${key}`;
  return new Failure('invalid-request', text ?? `${field}: ${description}`, {
    metadata: { category },
    violations: [{ field, description }],
  });
}
