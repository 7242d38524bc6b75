import type { JsonObject } from '@chandlery/api';
import { globalTenant, type InternalBroker } from '../../kinds/index.ts';
import { isJsonObject } from '../../model/json.ts';
import type { BrokerConnection, BrokerRequest, BrokerResponse } from '../../ports.ts';
import { handleBinding, handleBindingPoll } from './internal-bindings.ts';
import { catalogOf } from './internal-catalog.ts';
import { badRequest, type InternalExchange, osbResponse, rejected } from './internal-exchange.ts';
import { handleInstance, handleInstancePoll } from './internal-instances.ts';

/**
 * Speaks OSB to what another domain offers, or what a tenant offers there, without a network in between.
 *
 * For whom something is asked stands in the headers `x-chandlery-tenant` and `x-chandlery-platform`, which only our own
 * façades set.
 */
export function internalConnection(broker: InternalBroker, tenant: string = globalTenant): BrokerConnection {
  return {
    async call(request, { signal } = {}) {
      signal?.throwIfAborted();
      return handleRequest({ broker, catalogTenant: tenant }, request);
    },
  };
}

type Source = Pick<InternalExchange, 'broker' | 'catalogTenant'>;

async function handleRequest({ broker, catalogTenant }: Source, request: BrokerRequest): Promise<BrokerResponse> {
  const { pathname, searchParams: query } = new URL(request.path, 'http://internal');
  const [, version, root, instanceId = '', next, bindingId = '', last] = pathname.split('/').map(decodeURIComponent);
  if (!request.headers['x-broker-api-version']?.startsWith('2.'))
    return osbResponse(412, { description: 'the header X-Broker-API-Version must say 2.x' });
  if (version !== 'v2') return osbResponse(404);
  if (root === 'catalog')
    return rejected(async () => osbResponse(200, catalogOf(await broker.catalog(catalogTenant))), {
      notFound: 404,
      conflict: 409,
    });
  const body = bodyOf(request);
  if (body === undefined) return badRequest('the body is not a JSON object');
  const { method, headers } = request;
  const exchange: InternalExchange = { broker, catalogTenant, method, instanceId, query, headers, body };
  if (root !== 'service_instances' || instanceId === '') return osbResponse(404);
  if (next === undefined) return handleInstance(exchange);
  if (next === 'last_operation') return rejected(() => handleInstancePoll(exchange), { notFound: 404, conflict: 422 });
  if (next !== 'service_bindings' || bindingId === '') return osbResponse(404);
  if (last === undefined) return handleBinding(exchange, bindingId);
  return last === 'last_operation' ? handleBindingPoll(exchange, bindingId) : osbResponse(404);
}

function bodyOf({ body }: BrokerRequest): JsonObject | undefined {
  if (body === undefined || body.length === 0) return {};
  try {
    const value: unknown = JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString());
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
