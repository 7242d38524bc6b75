import { OrdersError, recordNotFound } from '../../../errors.ts';
import { type ForwardedFrom, requestHeaders, responseHeaders } from '../../../model/hosting/proxy-headers.ts';
import { readProxyPath } from '../../../model/hosting/proxy-path.ts';
import type { OrdersSettings } from '../../../model/tenant-limits.ts';
import type { ForwardedResponse, HostedEndpoint, ProcessGateway } from '../../../order-ports.ts';
import type { Call, OrdersResponse } from '../call.ts';
import { type FindProcessDeps, findProcess } from './find-process.ts';

export interface ProxyHandlerDeps extends FindProcessDeps {
  readonly gateway: ProcessGateway;
  readonly settings: Pick<OrdersSettings, 'proxyMaxBytes'>;
}

/** Handlers of the reverse proxy of services. */
export const proxyHandlers = (deps: ProxyHandlerDeps) => ({
  /** Passes a request on to the process of a service, and its response back. */
  forward: async (call: Call): Promise<OrdersResponse> => {
    const path = readProxyPath(call.url);
    if (path === undefined) throw recordNotFound(call.url.slice(0, 200));
    const endpoint = findProcess(deps, call);
    if (path.target === '') return slashMissing(call, path.prefix);
    const { maxBytes, from } = { maxBytes: deps.settings.proxyMaxBytes, from: cameFrom(call, path.prefix) };
    const request = {
      method: call.method,
      target: path.target,
      headers: requestHeaders(call.headers, from),
      body: call.body.isPresent ? bounded(call, maxBytes) : undefined,
    };
    return responseOf(await deps.gateway.forward(endpoint, request, call.signal), endpoint, from);
  },
});

/** Relative links of a page at the prefix itself would lead elsewhere. */
function slashMissing({ url, origin }: Call, prefix: string): OrdersResponse {
  const query = url.slice(prefix.length);
  return { status: 308, headers: { location: `${origin}${prefix}/${query}` }, body: '' };
}

/** Where a request came in. */
export function cameFrom({ origin, headers, clientAddress }: Call, prefix: string): ForwardedFrom {
  const scheme = origin.startsWith('https:') ? 'https' : 'http';
  return { scheme, host: headers.host ?? '', clientAddress, prefix };
}

async function* bounded({ body }: Call, maxBytes: number): AsyncGenerator<Uint8Array> {
  const tooLarge = (): OrdersError => new OrdersError('too-large', `The body is larger than ${maxBytes} bytes`);
  if ((body.length ?? 0) > maxBytes) throw tooLarge();
  let size = 0;
  for await (const piece of body.stream()) {
    size += piece.length;
    if (size > maxBytes) throw tooLarge();
    yield piece;
  }
}

/** A response of a process as one of the REST API. */
export function responseOf(
  { status, headers, body }: ForwardedResponse,
  endpoint: HostedEndpoint,
  from: ForwardedFrom,
): OrdersResponse {
  const origin = `http://${endpoint.host}:${endpoint.port}`;
  const { 'content-type': contentType, ...rest } = responseHeaders(headers, { ...from, origin });
  return {
    status,
    headers: rest,
    contentType: typeof contentType === 'string' ? contentType : 'application/octet-stream',
    body,
    isForwarded: true,
  };
}
