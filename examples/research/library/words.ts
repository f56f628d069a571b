/** How text becomes words that can be compared: the same for documents and for questions. */

const STOP_WORDS = new Set(
  (
    'a about above after again all also am an and any are as at be because been before being below between both but by ' +
    'can cannot could did do does doing done for from get gets got had happen happens has have having he her here him his how i if in ' +
    'into is it its itself just keep let like make makes may me might more most much must my need no nor not of off on ' +
    'one only or other our out over own please same shall she should so some such tell than that the their them then ' +
    'there these they thing things this those through to too under until up us use used uses using very want was way we ' +
    'well were what when where which while who whom whose why will with would yes yet you your'
  ).split(' '),
);

/**
 * What a person says, and what documents call it. A model would know more of these; the point of this example is that
 * it needs none.
 */
const RELATED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    abort: ['cancel', 'signal'],
    auth: ['authentication', 'authorization', 'credential', 'token', 'security'],
    authenticate: ['authentication', 'authorization', 'credential', 'token', 'security'],
    cancel: ['cancellation', 'abort'],
    crash: ['failure', 'shutdown', 'heartbeat'],
    delay: ['timer', 'sleep', 'interval'],
    deadline: ['timeout', 'expire'],
    duplicate: ['idempotent', 'idempotency', 'dedupe', 'reuse', 'retry'],
    error: ['failure', 'exception', 'throw'],
    fail: ['failure', 'error', 'exception', 'throw'],
    limit: ['maximum', 'max', 'size'],
    log: ['logger', 'logging'],
    lose: ['durable', 'retry', 'heartbeat'],
    once: ['idempotent', 'idempotency', 'duplicate', 'retry', 'attempt'],
    pause: ['sleep', 'suspend', 'timer'],
    reconnect: ['resubscribe', 'resume', 'retry'],
    repeat: ['retry', 'again', 'attempt', 'interval'],
    resume: ['resubscribe', 'subscribe', 'reconnect', 'continue'],
    stop: ['cancel', 'shutdown', 'abort'],
    stream: ['sse', 'event', 'subscribe', 'generator'],
    twice: ['idempotent', 'idempotency', 'duplicate', 'retry', 'attempt', 'once'],
    validate: ['schema', 'parse', 'safeparse'],
    wait: ['block', 'sleep', 'timeout', 'condition'],
    webhook: ['push', 'notification', 'callback'],
  }),
);

/** `maximumAttempts`, `@default`, `tasks/resubscribe`: into lower-case words. */
export function wordsOf(text: string): string[] {
  return text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Cuts English endings, so that "retries" finds "retry" and "running" finds "run"; null for words that say nothing. */
export function stemOf(word: string): string | null {
  if (word.length < 2 || STOP_WORDS.has(word)) return null;
  let stem = word;
  if (stem.endsWith('ies') && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (/[^su]s$/.test(stem) && stem.length > 3) stem = stem.slice(0, -1);
  const cut = /^(.{3,}?)(?:ing|ed)$/.exec(stem)?.[1];
  if (cut === undefined) return stem;
  const single = cut.replace(/([bdgmnprt])\1$/, '$1');
  return single !== cut || cut.length > 3 ? single : stem;
}

/** Words that documents may use where the question says `stem`. */
export function relatedTo(stem: string): string[] {
  const words = RELATED.get(stem) ?? RELATED.get(`${stem}e`) ?? [];
  return words.flatMap((word) => stemOf(word) ?? []).filter((word) => word !== stem);
}
