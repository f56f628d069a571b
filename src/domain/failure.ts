/**
 * What a caller may read of a failure. Each edge decides how it looks (JSON-RPC code, HTTP status, exit code);
 * anything that is not a `Failure` is a bug and is answered "Internal error".
 */
export type FailureKind =
  | 'invalid-request' // the request breaks the protocol or a schema: -32602
  | 'message-conflict' // this messageId came with other content: -32602
  | 'stale-question' // the question is answered, or another one: -32602
  | 'task-not-found' // or not yours, or a publication that is not yours: -32001
  | 'task-not-cancelable' // -32002
  | 'push-not-supported' // -32003
  | 'unsupported-operation' // a message to, or a subscription on, a task that takes none: -32004
  | 'content-type-not-supported' // -32005
  | 'extended-card-not-configured' // -32007
  | 'extension-required' // -32008
  | 'version-not-supported' // -32009
  | 'unauthenticated' // HTTP 401, -32000
  | 'busy' // too many requests or tasks: HTTP 429, -32000, retryable
  | 'unavailable' // Temporal or its workers are away: HTTP 503, -32000, retryable
  | 'payload-too-large'; // HTTP 413

export interface FieldViolation {
  /** Path of the field in ProtoJSON names, such as `message.parts[0]`. */
  readonly field: string;
  readonly description: string;
}

export class Failure extends Error {
  readonly kind: FailureKind;
  /** Strings that a client may act on, such as `{category: 'message-conflict'}`; sent as ErrorInfo metadata. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly FieldViolation[];
  readonly retryAfterSeconds: number | undefined;

  constructor(
    kind: FailureKind,
    message: string,
    options: {
      cause?: unknown;
      metadata?: Readonly<Record<string, string>>;
      violations?: readonly FieldViolation[];
      retryAfterSeconds?: number;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Failure';
    this.kind = kind;
    this.metadata = options.metadata ?? {};
    this.violations = options.violations ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
