/** What an operation knows about the request that it serves, whatever the binding. */
export interface Call {
  /** ID of the caller, authenticated. */
  readonly caller: string;
  /** Part of the caller's data that the request names; absent: in no tenant. */
  readonly tenant?: string;
  /** URIs of the extensions that the client has declared (`A2A-Extensions`). */
  readonly extensions?: readonly string[];
  /** Of what is sent to the caller later; 1.0 unless said. */
  readonly wireVersion?: '1.0' | '0.3';
  /** Aborts when nobody reads the answer any more, or the process drains: a wait ends, the task does not. */
  readonly signal: AbortSignal;
  /** `Idempotency-Key` header. */
  readonly idempotencyKey?: string;
  /** `Last-Event-ID` header. */
  readonly lastEventId?: string;
}
