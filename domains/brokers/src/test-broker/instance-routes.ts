import type { JsonObject } from '@chandlery/api';
import { canonicalJson, isJsonObject } from '../model/json.ts';
import { type BrokerInstance, isBeingMade, isUnderWay, isWreck } from './broker-records.ts';
import type { BrokerState } from './broker-state.ts';
import { type CatalogPlan, paceOf } from './default-catalog.ts';
import {
  accepted,
  answer,
  asyncRequired,
  badRequest,
  concurrency,
  differs,
  gone,
  noSuch,
  type OsbAnswer,
  type OsbRequest,
} from './osb-answers.ts';

/** An optional object of a request. */
export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const acceptsIncomplete = ({ query }: OsbRequest): boolean => query.get('accepts_incomplete') === 'true';

/** `PUT`, `PATCH`, `DELETE` and `GET /v2/service_instances/:id`. */
export function answerInstance(state: BrokerState, id: string, request: OsbRequest): OsbAnswer {
  switch (request.method) {
    case 'PUT':
      return provision(state, id, request);
    case 'PATCH':
      return update(state, id, request);
    case 'DELETE':
      return deprovision(state, id, request);
    case 'GET':
      return fetchInstance(state, id);
    default:
      return answer(405);
  }
}

function provision(state: BrokerState, id: string, request: OsbRequest): OsbAnswer {
  const { body } = request;
  if (body === undefined) return badRequest('the body is not a JSON object');
  const found = state.findPlan(body['service_id'], body['plan_id']);
  if (found === undefined) return badRequest('service_id or plan_id is missing or unknown');
  const { organization_guid: organizationGuid, space_guid: spaceGuid } = body;
  if (!isText(organizationGuid) || !isText(spaceGuid)) return badRequest('organization_guid or space_guid is missing');
  const wanted: BrokerInstance = {
    id,
    serviceId: found.offering.id,
    planId: found.plan.id,
    organizationGuid,
    spaceGuid,
    parameters: objectOf(body['parameters']),
    context: objectOf(body['context']),
    dashboardUrl: `http://dashboard.example/${encodeURIComponent(id)}`,
  };
  const existing = state.instances.get(id);
  if (existing !== undefined && !isWreck(existing)) return repeatProvision(existing, wanted);
  return make(state, wanted, { plan: found.plan, request });
}

function repeatProvision(existing: BrokerInstance, wanted: BrokerInstance): OsbAnswer {
  const { operation, dashboardUrl } = existing;
  if (isBeingMade(existing))
    return operation?.fingerprint === attributes(wanted)
      ? accepted(operation.id, { dashboard_url: dashboardUrl })
      : differs();
  if (isUnderWay(existing)) return concurrency();
  return attributes(existing) === attributes(wanted) ? answer(200, { dashboard_url: dashboardUrl }) : differs();
}

function make(
  state: BrokerState,
  instance: BrokerInstance,
  { plan, request }: { readonly plan: CatalogPlan; readonly request: OsbRequest },
): OsbAnswer {
  const isSync = paceOf(plan) === 'sync';
  if (!isSync && !acceptsIncomplete(request)) return asyncRequired();
  state.instances.set(instance.id, instance);
  const shown = { dashboard_url: instance.dashboardUrl, metadata: { labels: { made: 'yes' } } };
  if (isSync) return answer(201, shown);
  const operation = state.begin(plan, {
    type: 'provision',
    fingerprint: attributes(instance),
    complete: () => undefined,
  });
  instance.operation = operation;
  return accepted(operation.id, shown);
}

const attributes = (instance: BrokerInstance): string =>
  canonicalJson([
    instance.serviceId,
    instance.planId,
    instance.organizationGuid,
    instance.spaceGuid,
    instance.parameters,
  ]);

function update(state: BrokerState, id: string, request: OsbRequest): OsbAnswer {
  const { body } = request;
  if (body === undefined || !isText(body['service_id'])) return badRequest('service_id is missing');
  const instance = state.instances.get(id);
  if (instance === undefined || isWreck(instance)) return noSuch('instance');
  const found = state.findPlan(instance.serviceId, body['plan_id'] ?? instance.planId);
  if (body['service_id'] !== instance.serviceId || found === undefined) return badRequest('no such plan');
  const fingerprint = canonicalJson([body['plan_id'] ?? null, body['parameters'] ?? null, body['context'] ?? null]);
  const { operation } = instance;
  if (isUnderWay(instance)) return operation?.fingerprint === fingerprint ? accepted(operation.id) : concurrency();
  if (state.isBusy(id)) return concurrency();
  const current = state.findPlan(instance.serviceId, instance.planId);
  const isUpdateable = current?.plan.plan_updateable ?? current?.offering.plan_updateable ?? false;
  if (found.plan.id !== instance.planId && !isUpdateable)
    return answer(422, { error: 'PlanChangeNotSupported', description: 'the plan cannot be left' });
  const complete = () => {
    instance.planId = found.plan.id;
    instance.parameters = { ...instance.parameters, ...objectOf(body['parameters']) };
    instance.context = { ...instance.context, ...objectOf(body['context']) };
  };
  return finishOrBegin(state, { thing: instance, plan: found.plan, request, type: 'update', fingerprint, complete });
}

interface Change {
  readonly thing: BrokerInstance;
  readonly plan: CatalogPlan;
  readonly request: OsbRequest;
  readonly type: 'update' | 'deprovision';
  readonly fingerprint: string;
  readonly complete: () => void;
}

function finishOrBegin(state: BrokerState, { thing, plan, request, ...operation }: Change): OsbAnswer {
  if (paceOf(plan) === 'sync') {
    delete thing.operation;
    operation.complete();
    return answer(200);
  }
  if (!acceptsIncomplete(request)) return asyncRequired();
  thing.operation = state.begin(plan, operation);
  return accepted(thing.operation.id);
}

function deprovision(state: BrokerState, id: string, request: OsbRequest): OsbAnswer {
  const { query } = request;
  if (!isText(query.get('service_id')) || !isText(query.get('plan_id')))
    return badRequest('service_id or plan_id is missing');
  const instance = state.instances.get(id);
  if (instance === undefined) return gone();
  if (instance.operation?.type === 'deprovision' && isUnderWay(instance)) return accepted(instance.operation.id);
  // A creation that is under way is given up; anything else under way goes first.
  if (state.isBusy(id) && !isBeingMade(instance)) return concurrency();
  const plan = state.findPlan(instance.serviceId, instance.planId)?.plan ?? syncPlan;
  const complete = () => state.forget(instance);
  return finishOrBegin(state, { thing: instance, plan, request, type: 'deprovision', fingerprint: '', complete });
}

/** Instances of plans that have left the catalog end at once. */
const syncPlan: CatalogPlan = { id: '', name: '', description: '' };

function fetchInstance(state: BrokerState, id: string): OsbAnswer {
  const instance = state.instances.get(id);
  if (instance === undefined || isBeingMade(instance) || isWreck(instance)) return noSuch('instance');
  if (isUnderWay(instance)) return concurrency();
  const { serviceId, planId, parameters, dashboardUrl } = instance;
  return answer(200, { service_id: serviceId, plan_id: planId, parameters, dashboard_url: dashboardUrl });
}
