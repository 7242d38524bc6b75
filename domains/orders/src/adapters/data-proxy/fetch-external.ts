import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type AddressPolicy, assertCallable, checkedLookup, createAddressPolicy } from '@chandlery/platform';
import { OrdersError } from '../../errors.ts';
import type { FetchExternal } from '../../order-ports.ts';

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
  const { allowLoopback, allowedRanges = [] } = options;
  const addresses = createAddressPolicy({ allowed: allowedRanges, allowLoopback });
  return async (url, signal) => {
    let target = new URL(url);
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const response = await send(target, addresses, signal);
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

async function send(url: URL, addresses: AddressPolicy, signal: AbortSignal): Promise<IncomingMessage> {
  assertCallable(addresses, url.hostname, notAllowed);
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(url, { lookup: checkedLookup(addresses, notAllowed), signal, timeout: timeoutMs }, resolve);
    sent.once('timeout', () => sent.destroy(new Error('timeout')));
    sent.once('error', cause =>
      reject(
        cause instanceof OrdersError ? cause : new OrdersError('not-found', `${url.host} cannot be reached`, { cause }),
      ),
    );
    sent.end();
  });
}

const notAllowed = (host: string): OrdersError =>
  new OrdersError('forbidden', `${host} is at an address that services may not reach`);
