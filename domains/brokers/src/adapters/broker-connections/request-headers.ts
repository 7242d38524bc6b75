/**
 * Headers of a caller that never reach a broker: credentials that are not meant for it, what belongs to the caller's own
 * connection, and encodings that we would have to undo.
 */
const dropped: ReadonlySet<string> = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Our own words between façades and internal brokers. */
const ownPrefix = 'x-chandlery-';

/** Names and values in turn, as undici takes them without copying, with the broker's credentials. */
export function requestHeaders(given: Readonly<Record<string, string>>, authorization: string | undefined): string[] {
  const headers: string[] = [];
  for (const name in given) {
    const value = given[name];
    if (value === undefined || dropped.has(name) || name.startsWith(ownPrefix)) continue;
    headers.push(name, value);
  }
  if (authorization !== undefined) headers.push('authorization', authorization);
  return headers;
}
