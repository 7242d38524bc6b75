import type { JsonObject } from '@chandlery/api';
import { globalTenant, type InternalBroker } from '../../kinds/index.ts';
import { isJsonObject } from '../../model/json.ts';
import type { BrokerConnection, BrokerRequest, BrokerResponse } from '../../ports.ts';
import { handleBinding, handleBindingPoll } from './internal-bindings.ts';
import { catalogOf } from './internal-catalog.ts';
import { badRequest, type InternalExchange, osbResponse, rejected, tenantOf } from './internal-exchange.ts';
import { handleInstance, handleInstancePoll } from './internal-instances.ts';

/**
 * Speaks OSB to what another domain offers, or what a tenant offers there, without a network in between.
 *
 * For whom something is asked stands in the headers `x-chandlery-tenant` and `x-chandlery-platform`, and that it is a
 * clean-up in `x-chandlery-mitigation`: only our own façades and controllers set them.
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
  if (await isForeign(exchange)) return foreignResponse(exchange);
  if (next === undefined) return handleInstance(exchange);
  if (next === 'last_operation') return rejected(() => handleInstancePoll(exchange), { notFound: 404, conflict: 422 });
  if (next !== 'service_bindings' || bindingId === '') return osbResponse(404);
  if (last === undefined) return handleBinding(exchange, bindingId);
  return last === 'last_operation' ? handleBindingPoll(exchange, bindingId) : osbResponse(404);
}

/**
 * Whether an id is that of an object that another tenant has made through the API of the domain. Ids of instances can be
 * chosen, those of such objects too.
 */
async function isForeign({ broker, instanceId, headers }: InternalExchange): Promise<boolean> {
  const object = await broker.objects?.get(instanceId);
  return object !== undefined && !object.isProvisioned && object.tenant !== tenantOf(headers);
}

/** It is as if it were not there, but nothing can be made in its place. */
function foreignResponse({ method }: InternalExchange): BrokerResponse {
  if (method === 'PUT') return osbResponse(409, { error: 'Conflict', description: 'the id is taken' });
  return method === 'DELETE'
    ? osbResponse(410)
    : osbResponse(404, { error: 'NotFound', description: 'no such instance' });
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
