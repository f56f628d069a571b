import { A2A_ERROR_CODE, A2A_ERROR_DOMAIN, ERROR_INFO_TYPE } from '@a2a-js/sdk/errors';
import { Failure, type FailureKind, type FieldViolation } from '../domain/failure.ts';

/** An error as the specification describes it; each binding encodes it (A2A 1.0 §5.4, §9.5, §11.6). */
export interface A2AErrorView {
  /** JSON-RPC code. */
  readonly code: number;
  readonly httpStatus: number;
  /** Name of its `google.rpc.Code`. */
  readonly status: RpcStatus;
  readonly message: string;
  /** `google.rpc.ErrorInfo` first, then `BadRequest` and `RetryInfo` where they say more. */
  readonly details: readonly ErrorDetail[];
  readonly retryAfterSeconds?: number;
}

/** ProtoJSON of `google/rpc/error_details.proto`. */
export type ErrorDetail = ErrorInfo | BadRequest | RetryInfo;

interface ErrorInfo {
  readonly '@type': typeof ERROR_INFO_TYPE;
  readonly reason: string;
  readonly domain: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

interface BadRequest {
  readonly '@type': typeof BAD_REQUEST_TYPE;
  readonly fieldViolations: readonly FieldViolation[];
}

interface RetryInfo {
  readonly '@type': typeof RETRY_INFO_TYPE;
  /** Whole seconds, such as `1s`. */
  readonly retryDelay: string;
}

const BAD_REQUEST_TYPE = 'type.googleapis.com/google.rpc.BadRequest';
const RETRY_INFO_TYPE = 'type.googleapis.com/google.rpc.RetryInfo';

export type RpcStatus =
  | 'INVALID_ARGUMENT'
  | 'NOT_FOUND'
  | 'FAILED_PRECONDITION'
  | 'UNAUTHENTICATED'
  | 'RESOURCE_EXHAUSTED'
  | 'UNAVAILABLE'
  | 'INTERNAL';

interface ErrorRow {
  readonly code: number;
  readonly httpStatus: number;
  readonly status: RpcStatus;
  readonly reason: string;
}

/** -32000 is JSON-RPC's own range for servers: these kinds are not A2A's. */
const SERVER_ERROR = -32000;

const ERROR_BY_KIND = {
  'invalid-request': {
    code: A2A_ERROR_CODE.INVALID_PARAMS,
    httpStatus: 400,
    status: 'INVALID_ARGUMENT',
    reason: 'INVALID_PARAMS',
  },
  'message-conflict': {
    code: A2A_ERROR_CODE.INVALID_PARAMS,
    httpStatus: 400,
    status: 'INVALID_ARGUMENT',
    reason: 'INVALID_PARAMS',
  },
  'stale-question': {
    code: A2A_ERROR_CODE.INVALID_PARAMS,
    httpStatus: 400,
    status: 'INVALID_ARGUMENT',
    reason: 'INVALID_PARAMS',
  },
  'task-not-found': {
    code: A2A_ERROR_CODE.TASK_NOT_FOUND,
    httpStatus: 404,
    status: 'NOT_FOUND',
    reason: 'TASK_NOT_FOUND',
  },
  'task-not-cancelable': {
    code: A2A_ERROR_CODE.TASK_NOT_CANCELABLE,
    httpStatus: 400,
    status: 'FAILED_PRECONDITION',
    reason: 'TASK_NOT_CANCELABLE',
  },
  'push-not-supported': {
    code: A2A_ERROR_CODE.PUSH_NOTIFICATION_NOT_SUPPORTED,
    httpStatus: 400,
    status: 'FAILED_PRECONDITION',
    reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
  },
  'unsupported-operation': {
    code: A2A_ERROR_CODE.UNSUPPORTED_OPERATION,
    httpStatus: 400,
    status: 'FAILED_PRECONDITION',
    reason: 'UNSUPPORTED_OPERATION',
  },
  'content-type-not-supported': {
    code: A2A_ERROR_CODE.CONTENT_TYPE_NOT_SUPPORTED,
    httpStatus: 400,
    status: 'INVALID_ARGUMENT',
    reason: 'CONTENT_TYPE_NOT_SUPPORTED',
  },
  'extended-card-not-configured': {
    code: A2A_ERROR_CODE.EXTENDED_CARD_NOT_CONFIGURED,
    httpStatus: 400,
    status: 'FAILED_PRECONDITION',
    reason: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
  },
  'extension-required': {
    code: A2A_ERROR_CODE.EXTENSION_SUPPORT_REQUIRED,
    httpStatus: 400,
    status: 'FAILED_PRECONDITION',
    reason: 'EXTENSION_SUPPORT_REQUIRED',
  },
  'version-not-supported': {
    code: A2A_ERROR_CODE.VERSION_NOT_SUPPORTED,
    httpStatus: 400,
    status: 'FAILED_PRECONDITION',
    reason: 'VERSION_NOT_SUPPORTED',
  },
  unauthenticated: { code: SERVER_ERROR, httpStatus: 401, status: 'UNAUTHENTICATED', reason: 'UNAUTHENTICATED' },
  busy: { code: SERVER_ERROR, httpStatus: 429, status: 'RESOURCE_EXHAUSTED', reason: 'RESOURCE_EXHAUSTED' },
  unavailable: { code: SERVER_ERROR, httpStatus: 503, status: 'UNAVAILABLE', reason: 'UNAVAILABLE' },
  'payload-too-large': {
    code: A2A_ERROR_CODE.INVALID_REQUEST,
    httpStatus: 413,
    status: 'INVALID_ARGUMENT',
    reason: 'PAYLOAD_TOO_LARGE',
  },
} as const satisfies Record<FailureKind, ErrorRow>;

/** Kinds whose category is told even where nobody gave one: -32602 and -32000 stand for more than one thing. */
const CATEGORY_BY_KIND: Partial<Record<FailureKind, string>> = {
  'message-conflict': 'message-conflict',
  'stale-question': 'stale-question',
  busy: 'busy',
};

const INTERNAL_ERROR: ErrorRow = {
  code: A2A_ERROR_CODE.INTERNAL_ERROR,
  httpStatus: 500,
  status: 'INTERNAL',
  reason: 'INTERNAL_ERROR',
};

/** What is not a `Failure` is a bug: its text stays in the log, and the caller gets the ID to ask with. */
export function toA2AError(error: unknown, requestId: string): A2AErrorView {
  if (!(error instanceof Failure)) {
    const { reason, ...row } = INTERNAL_ERROR;
    return { ...row, message: 'Internal error', details: [errorInfo(reason, { requestId })] };
  }
  const { reason, ...row } = ERROR_BY_KIND[error.kind];
  const category = CATEGORY_BY_KIND[error.kind];
  const metadata = category === undefined ? error.metadata : { category, ...error.metadata };
  const { retryAfterSeconds, violations } = error;
  return {
    ...row,
    message: error.message,
    details: [
      errorInfo(reason, metadata),
      ...(violations.length === 0
        ? []
        : [
            {
              '@type': BAD_REQUEST_TYPE,
              fieldViolations: violations.map(({ field, description }) => ({ field, description })),
            } as const,
          ]),
      ...(retryAfterSeconds === undefined
        ? []
        : [{ '@type': RETRY_INFO_TYPE, retryDelay: `${retryAfterSeconds}s` } as const]),
    ],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

function errorInfo(reason: string, metadata: Readonly<Record<string, string>>): ErrorInfo {
  const isEmpty = Object.keys(metadata).length === 0;
  return { '@type': ERROR_INFO_TYPE, reason, domain: A2A_ERROR_DOMAIN, ...(!isEmpty && { metadata }) };
}
