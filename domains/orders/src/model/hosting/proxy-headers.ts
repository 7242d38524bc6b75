/** Headers by name; several of one name as a list. */
export type HeaderMap = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Headers of one connection, which no proxy passes on (RFC 9110, 7.6.1). */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** What is the landscape's own, or would let a client claim to be another: never passed on. */
const withheld = [
  'authorization',
  'host',
  'forwarded',
  'expect',
  'x-chandlery-namespace',
  'x-real-ip',
  'x-client-cert',
  'x-remote-user',
];

const isWithheld = (name: string): boolean =>
  withheld.includes(name) || name.startsWith('x-forwarded-') || name.startsWith('impersonate-');

/** Subprotocols of WebSocket that carry a token, as clients of Kubernetes send them. */
const bearerProtocol = /^base64url\.bearer\./i;

/** Where a request came in. */
export interface ForwardedFrom {
  /** `https` or `http`. */
  readonly scheme: string;
  /** The header `Host` of the client. */
  readonly host: string;
  readonly clientAddress: string;
  /** The path that stands for `/` of the process, without a slash at its end. */
  readonly prefix: string;
}

/** Returns the headers that a process gets: those of the client without its credentials, and where the request came in. */
export function requestHeaders(headers: HeaderMap, from: ForwardedFrom): Record<string, string | string[]> {
  const passed = withoutConnection(headers).filter(([name]) => !isWithheld(name));
  const entries = passed.map(([name, value]) => [
    name,
    name === 'sec-websocket-protocol' ? withoutTokens(value) : value,
  ]);
  return {
    ...(Object.fromEntries(entries.filter(([, value]) => value !== '')) as Record<string, string | string[]>),
    'x-forwarded-for': from.clientAddress,
    'x-forwarded-host': from.host,
    'x-forwarded-proto': from.scheme,
    'x-forwarded-prefix': from.prefix,
  };
}

function withoutTokens(value: string | string[]): string {
  const protocols = [value].flat().flatMap(text => text.split(',').map(protocol => protocol.trim()));
  return protocols.filter(protocol => !bearerProtocol.test(protocol)).join(', ');
}

function withoutConnection(headers: HeaderMap): [name: string, value: string | string[]][] {
  const named = [headers['connection'] ?? ''].flat().flatMap(text => text.toLowerCase().split(','));
  const dropped = new Set([...hopByHop, ...named.map(name => name.trim())]);
  return Object.entries(headers)
    .filter(([name, value]) => value !== undefined && !dropped.has(name))
    .map(([name, value]) => [name, typeof value === 'string' ? value : [...(value ?? [])]]);
}

/**
 * Pages of a process are shown at the origin of the landscape, but are not of it: browsers give them an origin of their own,
 * which has neither its storage nor its credentials.
 */
const sandbox = 'sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads';

/** Returns the headers that a client gets. Locations and cookies of the process lead below the prefix. */
export function responseHeaders(headers: HeaderMap, from: ForwardedFrom & { readonly origin: string }) {
  const passed: Record<string, string | string[]> = Object.fromEntries(withoutConnection(headers));
  for (const name of ['location', 'content-location']) {
    const value = passed[name];
    if (typeof value === 'string') passed[name] = below(value, from);
  }
  if (passed['set-cookie'] !== undefined)
    passed['set-cookie'] = [passed['set-cookie']].flat().map(cookie => cookieBelow(cookie, from.prefix));
  passed['content-security-policy'] = [...[passed['content-security-policy'] ?? []].flat(), sandbox];
  return passed;
}

/** `origin`: that of the process. */
function below(location: string, { origin, host, prefix }: ForwardedFrom & { readonly origin: string }): string {
  const own = [`${origin}/`, `http://${host}/`, `https://${host}/`].find(start => location.startsWith(start));
  const path = own === undefined ? location : `/${location.slice(own.length)}`;
  if (!path.startsWith('/') || path.startsWith('//')) return location;
  return path === prefix || path.startsWith(`${prefix}/`) ? path : prefix + path;
}

function cookieBelow(cookie: string, prefix: string): string {
  const [pair = '', ...attributes] = cookie.split(';').map(part => part.trim());
  const path = attributes.find(attribute => /^path=/i.test(attribute))?.slice('path='.length) ?? '/';
  const kept = attributes.filter(attribute => !/^(path|domain)=/i.test(attribute));
  const isBelow = path === prefix || path.startsWith(`${prefix}/`);
  return [pair, ...kept, `Path=${isBelow ? path : prefix + (path.startsWith('/') ? path : '/')}`].join('; ');
}
