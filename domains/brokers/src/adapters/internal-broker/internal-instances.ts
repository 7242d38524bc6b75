import type { JsonObject } from '@chandlery/api';
import {
  type InternalCallOptions,
  type InternalInstance,
  type InternalOutcome,
  ownPlatformId,
} from '../../kinds/index.ts';
import type { BrokerResponse } from '../../ports.ts';
import {
  acceptsIncomplete,
  asyncRequired,
  badRequest,
  concurrencyError,
  type InternalExchange,
  objectOf,
  osbResponse,
  rejected,
  tenantOf,
} from './internal-exchange.ts';

/** `/v2/service_instances/:id`. */
export function handleInstance(exchange: InternalExchange): Promise<BrokerResponse> | BrokerResponse {
  switch (exchange.method) {
    case 'PUT':
      return provision(exchange);
    case 'PATCH':
      return update(exchange);
    case 'DELETE':
      return deprovision(exchange);
    case 'GET':
      return rejected(() => fetchInstance(exchange), { notFound: 404, conflict: 422 });
    default:
      return osbResponse(405);
  }
}

function provision(exchange: InternalExchange): Promise<BrokerResponse> | BrokerResponse {
  const { broker, body } = exchange;
  const { service_id: serviceId, plan_id: planId, organization_guid: organization, space_guid: space } = body;
  if (!isText(serviceId) || !isText(planId)) return badRequest('service_id or plan_id is missing');
  if (!isText(organization) || !isText(space)) return badRequest('organization_guid or space_guid is missing');
  const instance = instanceOf(exchange, { serviceId, planId, parameters: objectOf(body['parameters']) });
  const ask = async (): Promise<BrokerResponse> => {
    if (!(await isOffered(exchange, serviceId, planId))) return badRequest('service_id or plan_id is unknown');
    const existed = (await broker.parameters(instance.id)) !== undefined;
    const outcome = await broker.provision(instance);
    if (outcome.state === 'in progress' && !acceptsIncomplete(exchange)) {
      // A refusal must leave nothing behind, and only asking shows whether it takes longer.
      if (!existed) await broker.deprovision(instance.id);
      return asyncRequired();
    }
    return outcomeOf(outcome, { verb: 'provision', doneStatus: existed ? 200 : 201 });
  };
  return rejected(ask, { notFound: 400, conflict: 409 });
}

async function isOffered(exchange: InternalExchange, serviceId: string, planId: string): Promise<boolean> {
  const { broker, catalogTenant } = exchange;
  const service = (await broker.catalog(catalogTenant)).find(({ id }) => id === serviceId);
  return service?.plans.some(({ id }) => id === planId) ?? false;
}

function update(exchange: InternalExchange): Promise<BrokerResponse> | BrokerResponse {
  const { broker, body, instanceId } = exchange;
  const { service_id: serviceId, plan_id: planId, parameters } = body;
  if (!isText(serviceId)) return badRequest('service_id is missing');
  const ask = async (): Promise<BrokerResponse> => {
    const current = await broker.parameters(instanceId);
    if (current === undefined) return noSuchInstance();
    const previousPlan = objectOf(body['previous_values'])['plan_id'] ?? planId;
    const instance = instanceOf(exchange, {
      serviceId,
      planId: isText(previousPlan) ? previousPlan : '',
      parameters: current,
    });
    const change = {
      ...(isText(planId) ? { planId } : {}),
      ...(parameters === undefined ? {} : { parameters: objectOf(parameters) }),
    };
    if (await isTooSlow(exchange, options => broker.update(instance, change, options))) return asyncRequired();
    return outcomeOf(await broker.update(instance, change), { verb: 'update', doneStatus: 200 });
  };
  return rejected(ask, { notFound: 404, conflict: 422 });
}

function deprovision(exchange: InternalExchange): Promise<BrokerResponse> | BrokerResponse {
  const { broker, query, headers, instanceId } = exchange;
  if (!query.get('service_id') || !query.get('plan_id')) return badRequest('service_id or plan_id is missing');
  const ask = async (): Promise<BrokerResponse> => {
    if ((await broker.progress(instanceId)).state === 'gone') return osbResponse(410);
    const isMitigation = headers['x-chandlery-mitigation'] === 'true';
    if (await isTooSlow(exchange, options => broker.deprovision(instanceId, { ...options, isMitigation })))
      return asyncRequired();
    return outcomeOf(await broker.deprovision(instanceId, { isMitigation }), { verb: 'deprovision', doneStatus: 200 });
  };
  return rejected(ask, { notFound: 410, conflict: 422 });
}

/** Whether something would take longer than a caller waits who cannot come back. Nothing is done: a refusal must change nothing. */
async function isTooSlow(
  exchange: InternalExchange,
  ask: (options: InternalCallOptions) => Promise<InternalOutcome>,
): Promise<boolean> {
  return !acceptsIncomplete(exchange) && (await ask({ isDryRun: true })).state === 'in progress';
}

async function fetchInstance({ broker, instanceId }: InternalExchange): Promise<BrokerResponse> {
  const parameters = await broker.parameters(instanceId);
  if (parameters === undefined) return noSuchInstance();
  // Whether it is being made or changed is not known here: both say "later".
  if ((await broker.progress(instanceId)).state === 'in progress') return concurrencyError();
  return osbResponse(200, { parameters });
}

/** `/v2/service_instances/:id/last_operation`: the operation is its verb. */
export async function handleInstancePoll({ broker, query, instanceId }: InternalExchange): Promise<BrokerResponse> {
  const isDeletion = query.get('operation') === 'deprovision';
  const { state, description } = await broker.progress(instanceId);
  if (state === 'gone') return isDeletion ? osbResponse(410) : noSuchInstance();
  // What is still there has not been deleted, however well it is.
  const shown = isDeletion && state === 'succeeded' ? 'in progress' : state;
  return osbResponse(200, { state: shown, ...(description === undefined ? {} : { description }) });
}

function outcomeOf(
  { state, dashboardUrl }: InternalOutcome,
  { verb, doneStatus }: { readonly verb: string; readonly doneStatus: number },
): BrokerResponse {
  const shown: JsonObject = dashboardUrl === undefined ? {} : { dashboard_url: dashboardUrl };
  return state === 'done' ? osbResponse(doneStatus, shown) : osbResponse(202, { ...shown, operation: verb });
}

const instanceOf = (
  { instanceId, headers, body }: InternalExchange,
  what: Pick<InternalInstance, 'serviceId' | 'planId' | 'parameters'>,
): InternalInstance => ({
  id: instanceId,
  ...what,
  caller: {
    tenant: tenantOf(headers),
    platformId: headers['x-chandlery-platform'] ?? ownPlatformId,
    context: objectOf(body['context']),
    ...usernameOf(headers),
  },
});

/** The originating identity is a platform and base64 JSON; platforms name the user differently. */
function usernameOf(headers: InternalExchange['headers']): Pick<InternalInstance['caller'], 'username'> {
  const [, encoded = ''] = (headers['x-broker-api-originating-identity'] ?? '').split(' ');
  const identity = objectOf(parsed(Buffer.from(encoded, 'base64').toString()));
  const username = identity['username'] ?? identity['user_name'] ?? identity['user_id'];
  return isText(username) ? { username } : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const noSuchInstance = (): BrokerResponse => osbResponse(404, { error: 'NotFound', description: 'no such instance' });

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
