import type { BrokerResponse } from '../../ports.ts';
import {
  acceptsIncomplete,
  asyncRequired,
  badRequest,
  type InternalExchange,
  objectOf,
  osbResponse,
  rejected,
} from './internal-exchange.ts';

/** `/v2/service_instances/:id/service_bindings/:id`. */
export function handleBinding(exchange: InternalExchange, bindingId: string): Promise<BrokerResponse> | BrokerResponse {
  switch (exchange.method) {
    case 'PUT':
      return bind(exchange, bindingId);
    case 'DELETE':
      return unbind(exchange, bindingId);
    case 'GET':
      return rejected(() => fetchBinding(exchange, bindingId), { notFound: 404, conflict: 422 });
    default:
      return osbResponse(405);
  }
}

function bind(exchange: InternalExchange, bindingId: string): Promise<BrokerResponse> | BrokerResponse {
  const { broker, instanceId, body } = exchange;
  if (typeof body['service_id'] !== 'string' || typeof body['plan_id'] !== 'string')
    return badRequest('service_id or plan_id is missing');
  const ask = async (): Promise<BrokerResponse> => {
    const existed = (await broker.credentials(instanceId, bindingId)) !== undefined;
    const credentials = await broker.bind(instanceId, bindingId, objectOf(body['parameters']));
    if (credentials !== 'in progress') return osbResponse(201, { credentials });
    if (acceptsIncomplete(exchange)) return osbResponse(202, { operation: 'bind' });
    // A refusal must leave nothing behind, and only asking shows whether it takes longer.
    if (!existed) await broker.unbind(instanceId, bindingId);
    return asyncRequired();
  };
  return rejected(ask, { notFound: 404, conflict: 422 });
}

function unbind(
  { broker, query, instanceId }: InternalExchange,
  bindingId: string,
): Promise<BrokerResponse> | BrokerResponse {
  if (!query.get('service_id') || !query.get('plan_id')) return badRequest('service_id or plan_id is missing');
  const ask = async (): Promise<BrokerResponse> => {
    await broker.unbind(instanceId, bindingId);
    return osbResponse(200);
  };
  return rejected(ask, { notFound: 410, conflict: 422 });
}

async function fetchBinding({ broker, instanceId }: InternalExchange, bindingId: string): Promise<BrokerResponse> {
  const credentials = await broker.credentials(instanceId, bindingId);
  if (credentials === undefined) return noSuchBinding();
  if (credentials !== 'in progress') return osbResponse(200, { credentials });
  return osbResponse(404, { error: 'NotFound', description: 'the binding is still being made' });
}

/** `…/service_bindings/:id/last_operation`. Only making a binding takes time. */
export function handleBindingPoll(
  { broker, instanceId, query }: InternalExchange,
  bindingId: string,
): Promise<BrokerResponse> {
  const ask = async (): Promise<BrokerResponse> => {
    const credentials = await broker.credentials(instanceId, bindingId);
    if (credentials === undefined) return query.get('operation') === 'unbind' ? osbResponse(410) : noSuchBinding();
    return osbResponse(200, { state: credentials === 'in progress' ? 'in progress' : 'succeeded' });
  };
  return rejected(ask, { notFound: 404, conflict: 422 });
}

const noSuchBinding = (): BrokerResponse => osbResponse(404, { error: 'NotFound', description: 'no such binding' });
