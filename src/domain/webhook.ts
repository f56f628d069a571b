/** What Temporal holds of push notifications (A2A 1.0 §4.3), and the fold by which workflow and gateway agree on it. */

/** Version of the body that the client who registered the webhook reads. */
export type WireVersion = '1.0' | '0.3';

/** A webhook of a task, as it stands in histories. Its key is `id`, within the task. */
export interface Webhook {
  readonly id: string;
  /** URL, token and credentials, encrypted. */
  readonly sealed: string;
  /** Of the URL: for operators. */
  readonly host: string;
  /** Keyed hash of what is sealed: the same target registered again is the same webhook. */
  readonly fingerprint: string;
  readonly wireVersion: WireVersion;
  /** Cursor of the task's log: what stands there is sent as the first notification, the task as it then was. */
  readonly from: string;
  /** ISO 8601, UTC. */
  readonly registeredAt: string;
}

/** Each is taken once, by its `signalId`. */
export type WebhookChange =
  { readonly signalId: string; readonly set: Webhook } | { readonly signalId: string; readonly deleted: string };

export interface Webhooks {
  /** In the order of their registration. */
  readonly list: readonly Webhook[];
  /** IDs of the last changes. */
  readonly taken: readonly string[];
}

export const NO_WEBHOOKS: Webhooks = { list: [], taken: [] };

const TAKEN_MAX = 100;

export function foldWebhooks({ list, taken }: Webhooks, change: WebhookChange): Webhooks {
  if (taken.includes(change.signalId)) return { list, taken };
  return { list: foldList(list, change), taken: [...taken, change.signalId].slice(-TAKEN_MAX) };
}

function foldList(list: readonly Webhook[], change: WebhookChange): readonly Webhook[] {
  if ('deleted' in change) return list.filter(({ id }) => id !== change.deleted);
  const before = list.find(({ id }) => id === change.set.id);
  if (before === undefined) return [...list, change.set];
  // The same once more, as a client that heard no answer sends it: what has been delivered stays delivered.
  if (before.fingerprint === change.set.fingerprint && before.wireVersion === change.set.wireVersion) return list;
  return list.map((each) => (each === before ? change.set : each));
}

/** Anybody may signal a workflow from Temporal's UI. */
export function isWebhookChange(value: unknown): value is WebhookChange {
  if (!isRecord(value) || typeof value['signalId'] !== 'string') return false;
  return typeof value['deleted'] === 'string' || isWebhook(value['set']);
}

function isWebhook(value: unknown): value is Webhook {
  return (
    isRecord(value) &&
    TEXTS.every((name) => typeof value[name] === 'string') &&
    (value['wireVersion'] === '1.0' || value['wireVersion'] === '0.3')
  );
}

const TEXTS = ['id', 'sealed', 'host', 'fingerprint', 'from', 'registeredAt'];

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
