import { decodeBase64Url, encodeBase64Url } from './base64url.ts';

/** A question's ID tells which task it belongs to, so that an answer finds its workflow with no table. */
export function requestIdOf(taskId: string, random: string): string {
  return `${encodeBase64Url(taskId)}.${random}`;
}

/** undefined when it cannot be a question's ID. */
export function taskIdOfRequest(requestId: string): string | undefined {
  const [encoded, random, ...rest] = requestId.split('.');
  const isShaped = encoded !== undefined && encoded !== '' && random !== undefined && /^[0-9a-f]{32}$/.test(random);
  return isShaped && rest.length === 0 ? decodeBase64Url(encoded) : undefined;
}
