import type { BrokerAnswer } from '../../ports.ts';
import {
  acceptsIncomplete,
  asyncRequired,
  badRequest,
  type InternalExchange,
  objectOf,
  osbAnswer,
  refused,
} from './internal-exchange.ts';

/** `/v2/service_instances/:id/service_bindings/:id`. */
export function answerBinding(exchange: InternalExchange, bindingId: string): Promise<BrokerAnswer> | BrokerAnswer {
  switch (exchange.method) {
    case 'PUT':
      return bind(exchange, bindingId);
    case 'DELETE':
      return unbind(exchange, bindingId);
    case 'GET':
      return refused(() => fetchBinding(exchange, bindingId), { notFound: 404, conflict: 422 });
    default:
      return osbAnswer(405);
  }
}

function bind(exchange: InternalExchange, bindingId: string): Promise<BrokerAnswer> | BrokerAnswer {
  const { broker, instanceId, body } = exchange;
  if (typeof body['service_id'] !== 'string' || typeof body['plan_id'] !== 'string')
    return badRequest('service_id or plan_id is missing');
  const ask = async (): Promise<BrokerAnswer> => {
    const existed = (await broker.credentials(instanceId, bindingId)) !== undefined;
    const credentials = await broker.bind(instanceId, bindingId, objectOf(body['parameters']));
    if (credentials !== 'in progress') return osbAnswer(201, { credentials });
    if (acceptsIncomplete(exchange)) return osbAnswer(202, { operation: 'bind' });
    // A refusal must leave nothing behind, and only asking shows whether it takes longer.
    if (!existed) await broker.unbind(instanceId, bindingId);
    return asyncRequired();
  };
  return refused(ask, { notFound: 404, conflict: 422 });
}

function unbind(
  { broker, query, instanceId }: InternalExchange,
  bindingId: string,
): Promise<BrokerAnswer> | BrokerAnswer {
  if (!query.get('service_id') || !query.get('plan_id')) return badRequest('service_id or plan_id is missing');
  const ask = async (): Promise<BrokerAnswer> => {
    await broker.unbind(instanceId, bindingId);
    return osbAnswer(200);
  };
  return refused(ask, { notFound: 410, conflict: 422 });
}

async function fetchBinding({ broker, instanceId }: InternalExchange, bindingId: string): Promise<BrokerAnswer> {
  const credentials = await broker.credentials(instanceId, bindingId);
  if (credentials === undefined) return noSuchBinding();
  if (credentials !== 'in progress') return osbAnswer(200, { credentials });
  return osbAnswer(404, { error: 'NotFound', description: 'the binding is still being made' });
}

/** `…/service_bindings/:id/last_operation`. Only making a binding takes time. */
export function answerBindingPoll(
  { broker, instanceId, query }: InternalExchange,
  bindingId: string,
): Promise<BrokerAnswer> {
  const ask = async (): Promise<BrokerAnswer> => {
    const credentials = await broker.credentials(instanceId, bindingId);
    if (credentials === undefined) return query.get('operation') === 'unbind' ? osbAnswer(410) : noSuchBinding();
    return osbAnswer(200, { state: credentials === 'in progress' ? 'in progress' : 'succeeded' });
  };
  return refused(ask, { notFound: 404, conflict: 422 });
}

const noSuchBinding = (): BrokerAnswer => osbAnswer(404, { error: 'NotFound', description: 'no such binding' });
