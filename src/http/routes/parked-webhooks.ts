import type { ParameterizedContext } from 'koa';
import type { createRetryParked } from '../../operator/parked-webhooks.ts';
import { parseJson, readBody, requireContentType, UnparsableBody } from '../read-body.ts';
import { RefusedRequest } from '../refused-request.ts';
import type { RequestState } from '../request-state.ts';

/** `POST /api/push/parked/retry`: 202, as the attempt is made by a worker. */
export function createRetryParkedHandler(
  retryParked: ReturnType<typeof createRetryParked>,
  { bodyBytesMax }: { bodyBytesMax: number },
) {
  return async function handleRetryParked(ctx: ParameterizedContext<RequestState>): Promise<void> {
    requireContentType(ctx.get('Content-Type'), ['application/json']);
    const body = await readBody(ctx.req, { bytesMax: bodyBytesMax });
    await retryParked(parse(body));
    ctx.status = 202;
    ctx.body = { success: true };
  };
}

function parse(body: Buffer): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    if (error instanceof UnparsableBody) throw new RefusedRequest(400, 'invalid-request', 'Invalid JSON');
    throw error;
  }
}
