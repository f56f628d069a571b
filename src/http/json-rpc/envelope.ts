/** JSON-RPC 2.0 envelopes, which the A2A SDK checks less strictly than their specification does. */
import { A2A_ERROR_CODE } from '@a2a-js/sdk/errors';
import type { A2AErrorView, ErrorDetail } from '../../a2a/to-a2a-error.ts';
import { parseJson, UnparsableBody } from '../read-body.ts';
import { type ExactNumber, readExactNumber } from './exact-number.ts';

export type JsonRpcId = string | number | ExactNumber | null;

export interface JsonRpcRequest {
  /** Absent: a notification, which is carried out and not answered. */
  readonly id?: JsonRpcId;
  readonly method: string;
  readonly params?: unknown;
}

export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** What is wrong with the envelope itself; answered with HTTP 200, as everything that JSON-RPC answers. */
export class EnvelopeError extends Error {
  readonly error: JsonRpcError;
  readonly id: JsonRpcId;

  constructor(code: number, message: string, id: JsonRpcId) {
    super(message);
    this.error = { code, message };
    this.id = id;
  }
}

/** @throws {EnvelopeError} -32700 or -32600 */
export function parseEnvelope(body: Buffer): JsonRpcRequest {
  const envelope = parseBody(body);
  if (Array.isArray(envelope)) throw invalid('Invalid Request: batches are not supported');
  if (!isObject(envelope)) throw invalid('Invalid Request: expected an object');
  const { jsonrpc, method, params } = envelope;
  const id = readId(envelope['id'], body);
  if (jsonrpc !== '2.0') throw invalid('Invalid Request: jsonrpc must be "2.0"', id);
  if (typeof method !== 'string' || method === '') throw invalid('Invalid Request: method must be a string', id);
  return { ...(id !== undefined && { id }), method, ...(params !== undefined && { params }) };
}

/** A client finds its request by it, so it goes back as it came, digit for digit. */
function readId(id: unknown, body: Buffer): JsonRpcId | undefined {
  if (typeof id === 'number' && !Number.isSafeInteger(id))
    return readExactNumber(new TextDecoder().decode(body), 'id') ?? id;
  const isId = id === undefined || id === null || typeof id === 'string' || typeof id === 'number';
  if (!isId) throw invalid('Invalid Request: id must be a string, a number or null');
  return id;
}

export function methodNotFound(id: JsonRpcId): EnvelopeError {
  return new EnvelopeError(A2A_ERROR_CODE.METHOD_NOT_FOUND, 'Method not found', id);
}

export function resultEnvelope(id: JsonRpcId, result: unknown) {
  return { jsonrpc: '2.0', id, result };
}

export function errorEnvelope(id: JsonRpcId, error: JsonRpcError) {
  return { jsonrpc: '2.0', id, error };
}

/** A2A 1.0 §9.5: the details stand in an array. */
export function toJsonRpcError({ code, message, details }: A2AErrorView): JsonRpcError {
  return { code, message, data: details };
}

/** A2A 0.3 §8: what there is to say beside the text is an object. Its clients know no field of it. */
export function toLegacyError({ code, message, details }: A2AErrorView): JsonRpcError {
  return { code, message, data: Object.assign({}, ...details.map(withoutType)) as Record<string, unknown> };
}

function withoutType(detail: ErrorDetail): unknown {
  const { '@type': _type, domain: _domain, ...fields } = { domain: '', ...detail };
  return fields;
}

function parseBody(body: Buffer): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    if (error instanceof UnparsableBody) throw new EnvelopeError(A2A_ERROR_CODE.PARSE_ERROR, 'Parse error', null);
    throw error;
  }
}

function invalid(message: string, id: JsonRpcId = null): EnvelopeError {
  return new EnvelopeError(A2A_ERROR_CODE.INVALID_REQUEST, message, id);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
