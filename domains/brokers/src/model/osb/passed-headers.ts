/**
 * Headers of a caller that never reach a broker: credentials that are not meant for it, what belongs to the caller's own
 * connection, and encodings that we would have to undo.
 */
const kept: ReadonlySet<string> = new Set([
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

/** Headers between façades and internal brokers: clients cannot set them, and brokers over HTTP never receive them. */
const ownPrefix = 'x-chandlery-';

/** Whether a header of a caller is forwarded to a broker. The name is in lower case. */
export const isPassedOn = (name: string): boolean => !kept.has(name) && !name.startsWith(ownPrefix);
