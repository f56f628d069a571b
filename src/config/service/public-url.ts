import { isLoopback } from '../loopback.ts';

/** The base of all URLs that callers see: HTTPS (HTTP on loopback), an origin and perhaps a path, without a slash at its end. */
export function parsePublicUrl(
  text: string,
  { mayBeHttp }: { readonly mayBeHttp: boolean },
): { readonly url: string } | { readonly fault: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return { fault: 'must be a URL such as https://agents.example.com' };
  if (url.username !== '' || url.password !== '') return { fault: 'must hold no user name and no password' };
  if (url.search !== '' || url.hash !== '') return { fault: 'must have no query and no fragment' };
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && (mayBeHttp || isLoopback(url.hostname)));
  if (!isSafe) return { fault: 'must be an HTTPS URL (HTTP is allowed on loopback, or with --insecure)' };
  return { url: (url.origin + url.pathname).replace(/\/+$/, '') };
}
