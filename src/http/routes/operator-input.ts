import type { ParameterizedContext } from 'koa';
import { Failure } from '../../domain/failure.ts';
import type { createAnswerQuestion } from '../../operator/answer-question.ts';
import { endSignalOf } from '../end-signal.ts';
import { parseJson, readBody, requireContentType, UnparsableBody } from '../read-body.ts';
import { RefusedRequest } from '../refused-request.ts';
import type { RequestState } from '../request-state.ts';

/** `POST /api/a2a/input`: an operator's answer to a question. */
export function createOperatorInputHandler(
  answerQuestion: ReturnType<typeof createAnswerQuestion>,
  { bodyBytesMax }: { bodyBytesMax: number },
) {
  return async function handleOperatorInput(ctx: ParameterizedContext<RequestState>): Promise<void> {
    // A form of a web page cannot have this type, so a page must ask first (CORS), and is refused.
    requireContentType(ctx.get('Content-Type'), ['application/json']);
    const { requestId, answer } = parseInput(await readBody(ctx.req, { bytesMax: bodyBytesMax }));
    try {
      const outcome = await answerQuestion({ requestId, answer }, endSignalOf(ctx));
      ctx.status = outcome === 'answered' ? 200 : 202;
      ctx.body = outcome === 'answered' ? { success: true } : { success: true, pending: true };
    } catch (error) {
      if (error instanceof Failure && error.kind === 'stale-question') {
        throw new RefusedRequest(404, 'stale-question', error.message);
      }
      throw error;
    }
  };
}

function parseInput(body: Buffer): { requestId: string; answer: unknown } {
  const input = parseBody(body);
  if (typeof input === 'object' && input !== null && 'requestId' in input && 'answer' in input) {
    const { requestId, answer } = input;
    const isAnswer = typeof answer === 'string' || (typeof answer === 'object' && answer !== null);
    if (typeof requestId === 'string' && requestId !== '' && isAnswer) return { requestId, answer };
  }
  throw new RefusedRequest(400, 'invalid-request', 'requestId and answer (string or answer object) are required');
}

function parseBody(body: Buffer): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    if (error instanceof UnparsableBody) throw new RefusedRequest(400, 'invalid-request', 'Invalid JSON');
    throw error;
  }
}
