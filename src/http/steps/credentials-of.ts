import type { IncomingHttpHeaders } from 'node:http';
import type { CredentialHeaders } from '../../auth/credentials.ts';

export function credentialsOf({ headers }: { headers: IncomingHttpHeaders }): CredentialHeaders {
  return { authorization: headers.authorization, apiKey: headers['x-api-key'] };
}
