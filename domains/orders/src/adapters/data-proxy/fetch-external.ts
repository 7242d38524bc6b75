import { lookup } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { OrdersError } from '../../errors.ts';
import type { FetchExternal } from '../../order-ports.ts';

/** Ranges that are no public addresses. */
const restricted = [
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16', '0.0.0.0/8', '224.0.0.0/4'],
  ...['192.0.0.0/24', '198.18.0.0/15', '240.0.0.0/4', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8', '::/96'],
  ...['64:ff9b::/96', '2002::/16', '2001::/32'],
];
const loopbackRanges = ['127.0.0.0/8', '::1/128'];

export interface ExternalOptions {
  /** Whether this machine's loopback interface may be reached. */
  readonly allowLoopback: boolean;
  /** Further ranges (CIDR) that may be reached though they are not public. Default none. */
  readonly allowedRanges?: readonly string[];
}

const maxRedirects = 5;
const timeoutMs = 60_000;

/** Returns how content from outside is read. Addresses are checked where the socket connects, so no name can be resolved differently later. */
export function createFetchExternal(options: ExternalOptions): FetchExternal {
  const isAllowed = addressCheck(options);
  return async (url, signal) => {
    let target = new URL(url);
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const response = await send(target, isAllowed, signal);
      const { statusCode = 0, headers } = response;
      if (statusCode >= 200 && statusCode < 300)
        return { contentType: headers['content-type'] ?? 'application/octet-stream', bytes: response };
      response.resume();
      if (statusCode < 300 || statusCode >= 400 || headers.location === undefined)
        throw new OrdersError('not-found', `${target.host} responded with ${statusCode}`);
      target = new URL(headers.location, target);
      if (!/^https?:$/.test(target.protocol))
        throw new OrdersError('forbidden', 'It redirects to something else than http(s)');
    }
    throw new OrdersError('not-found', `${target.host} redirects too often`);
  };
}

type IsAllowed = (address: string) => boolean;

function send(url: URL, isAllowed: IsAllowed, signal: AbortSignal): Promise<IncomingMessage> {
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(hostname) !== 0 && !isAllowed(hostname)) return Promise.reject(notAllowed(hostname));
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(url, { lookup: checkedLookup(isAllowed), signal, timeout: timeoutMs }, resolve);
    sent.once('timeout', () => sent.destroy(new Error('timeout')));
    sent.once('error', cause =>
      reject(
        cause instanceof OrdersError ? cause : new OrdersError('not-found', `${url.host} cannot be reached`, { cause }),
      ),
    );
    sent.end();
  });
}

const checkedLookup =
  (isAllowed: IsAllowed): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const allowed = found.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (first === undefined) return callback(notAllowed(hostname), []);
      return options.all === true ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };

const notAllowed = (host: string): OrdersError =>
  new OrdersError('forbidden', `${host} is at an address that services may not reach`);

function addressCheck({ allowLoopback, allowedRanges = [] }: ExternalOptions): IsAllowed {
  const blocked = blockListOf([...restricted, ...(allowLoopback ? [] : loopbackRanges)]);
  const allowed = blockListOf([...allowedRanges, ...(allowLoopback ? loopbackRanges : [])]);
  return address => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
    const family = isIPv6(plain) ? 'ipv6' : 'ipv4';
    return allowed.check(plain, family) || !blocked.check(plain, family);
  };
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits = ''] = range.split('/');
    list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return list;
}
