/**
 * An operator's listener on loopback is within reach of every web page that the operator opens. Two headers that a page
 * cannot forge tell them apart: `Host` (a name that was rebound to 127.0.0.1 is not a loopback name) and `Origin`.
 */
const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

function isLoopbackHost(host: string): boolean {
  return LOOPBACK_NAMES.has(host) || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** `boundHost` is where the listener listens: elsewhere than on loopback names are free, as a token is needed there. */
export function isFromHere(
  headers: { host?: string | undefined; origin?: string | undefined },
  boundHost: string,
): boolean {
  const host = headers.host?.toLowerCase();
  if (host === undefined) return false;
  const name = host.replace(/:\d+$/, '');
  if (isLoopbackHost(boundHost) && !isLoopbackHost(name) && name !== boundHost.toLowerCase()) return false;
  const origin = headers.origin?.toLowerCase();
  return origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
}
