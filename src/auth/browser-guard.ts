/**
 * A listener on loopback that needs no token is within reach of every web page that somebody on this machine opens. Two headers
 * that a page cannot forge tell them apart: `Host` (a name that was rebound to 127.0.0.1 is not a loopback name) and `Origin`.
 */
const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

function isLoopbackHost(host: string): boolean {
  return LOOPBACK_NAMES.has(host) || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * @param boundHost where the listener listens: elsewhere than on loopback names are free, as a token is needed there
 * @param publicName the name under which a proxy on this machine hands requests on
 */
export function isFromHere(
  headers: { host?: string | undefined; origin?: string | undefined },
  boundHost: string,
  publicName?: string,
): boolean {
  const host = headers.host?.toLowerCase();
  if (host === undefined) return false;
  const name = host.replace(/:\d+$/, '');
  const isOwnName = isLoopbackHost(name) || name === boundHost.toLowerCase() || name === publicName?.toLowerCase();
  if (isLoopbackHost(boundHost) && !isOwnName) return false;
  const origin = headers.origin?.toLowerCase();
  return origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
}
