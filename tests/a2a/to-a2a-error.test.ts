import { describe, expect, it } from '@jest/globals';
import { toA2AError } from '../../src/a2a/to-a2a-error.ts';
import { Failure } from '../../src/domain/failure.ts';

describe('toA2AError', () => {
  it.each([
    ['invalid-request', -32602, 400, 'INVALID_PARAMS'],
    ['message-conflict', -32602, 400, 'INVALID_PARAMS'],
    ['stale-question', -32602, 400, 'INVALID_PARAMS'],
    ['task-not-found', -32001, 404, 'TASK_NOT_FOUND'],
    ['task-not-cancelable', -32002, 400, 'TASK_NOT_CANCELABLE'],
    ['push-not-supported', -32003, 400, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    ['unsupported-operation', -32004, 400, 'UNSUPPORTED_OPERATION'],
    ['content-type-not-supported', -32005, 400, 'CONTENT_TYPE_NOT_SUPPORTED'],
    ['extended-card-not-configured', -32007, 400, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'],
    ['extension-required', -32008, 400, 'EXTENSION_SUPPORT_REQUIRED'],
    ['version-not-supported', -32009, 400, 'VERSION_NOT_SUPPORTED'],
    ['unauthenticated', -32000, 401, 'UNAUTHENTICATED'],
    ['busy', -32000, 429, 'RESOURCE_EXHAUSTED'],
    ['unavailable', -32000, 503, 'UNAVAILABLE'],
    ['payload-too-large', -32600, 413, 'PAYLOAD_TOO_LARGE'],
  ] as const)('shows %s as %i, HTTP %i, %s', (kind, code, httpStatus, reason) => {
    const view = toA2AError(new Failure(kind, 'Why'), 'r1');
    expect(view).toMatchObject({ code, httpStatus, message: 'Why', details: [{ reason, domain: 'a2a-protocol.org' }] });
  });

  it('says nothing of what is no Failure but the ID to ask with', () => {
    expect(toA2AError(new TypeError('secret'), 'r1')).toEqual({
      code: -32603,
      httpStatus: 500,
      status: 'INTERNAL',
      message: 'Internal error',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'INTERNAL_ERROR',
          domain: 'a2a-protocol.org',
          metadata: { requestId: 'r1' },
        },
      ],
    });
  });

  it('tells when to come again', () => {
    const view = toA2AError(new Failure('busy', 'Too many', { retryAfterSeconds: 3 }), 'r1');
    expect(view.retryAfterSeconds).toBe(3);
    expect(view.details).toMatchObject([
      { metadata: { category: 'busy' } },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3s' },
    ]);
  });
});
