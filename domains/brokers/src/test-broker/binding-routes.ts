import { canonicalJson } from '../model/json.ts';
import { type BrokerBinding, type BrokerInstance, isBeingMade, isUnderWay, isWreck } from './broker-records.ts';
import type { BrokerState } from './broker-state.ts';
import { type CatalogOffering, type CatalogPlan, paceOf } from './default-catalog.ts';
import { isText, objectOf } from './instance-routes.ts';
import {
  accepted,
  answer,
  badRequest,
  concurrency,
  differs,
  gone,
  noSuch,
  type OsbAnswer,
  type OsbRequest,
} from './osb-answers.ts';

/** Which binding of which instance. */
interface BindingPlace {
  readonly instanceId: string;
  readonly id: string;
}

/** `PUT`, `DELETE` and `GET /v2/service_instances/:id/service_bindings/:id`. */
export function answerBinding(state: BrokerState, place: BindingPlace, request: OsbRequest): OsbAnswer {
  switch (request.method) {
    case 'PUT':
      return bind(state, place, request);
    case 'DELETE':
      return unbind(state, place, request);
    case 'GET':
      return fetchBinding(state, place);
    default:
      return answer(405);
  }
}

function bind(state: BrokerState, place: BindingPlace, request: OsbRequest): OsbAnswer {
  const { body } = request;
  if (body === undefined) return badRequest('the body is not a JSON object');
  const predecessorId = body['predecessor_binding_id'];
  if (!isText(predecessorId) && (!isText(body['service_id']) || !isText(body['plan_id'])))
    return badRequest('service_id or plan_id is missing');
  const instance = state.instances.get(place.instanceId);
  if (instance === undefined || isWreck(instance)) return noSuch('instance');
  const found = state.findPlan(instance.serviceId, instance.planId);
  if (found === undefined || !(found.plan.bindable ?? found.offering.bindable)) return badRequest('not bindable');
  const predecessor = isText(predecessorId) ? state.bindings.get(predecessorId) : undefined;
  if (isText(predecessorId) && !isRotatable(predecessor, instance, found.plan))
    return badRequest('predecessor_binding_id names no binding that can have a successor');
  const wanted = newBinding(place, instance, { body, ...(predecessor === undefined ? {} : { predecessor }) });
  const existing = state.bindings.get(place.id);
  if (existing !== undefined && !isWreck(existing)) return repeatBind(existing, wanted);
  return state.isBusy(place.instanceId) ? concurrency() : make(state, wanted, { ...found, request });
}

const isRotatable = (predecessor: BrokerBinding | undefined, instance: BrokerInstance, plan: CatalogPlan): boolean =>
  predecessor?.instanceId === instance.id && plan.binding_rotatable === true;

function newBinding(
  { id, instanceId }: BindingPlace,
  { serviceId, planId }: BrokerInstance,
  { body, predecessor }: { readonly body: NonNullable<OsbRequest['body']>; readonly predecessor?: BrokerBinding },
): BrokerBinding {
  return {
    id,
    instanceId,
    serviceId,
    planId,
    parameters: predecessor?.parameters ?? objectOf(body['parameters']),
    bindResource: objectOf(body['bind_resource']),
    credentials: { username: `user-${id}`, password: `password-of-${id}`, uri: `db://${instanceId}` },
    ...(predecessor === undefined ? {} : { predecessorId: predecessor.id }),
  };
}

function repeatBind(existing: BrokerBinding, wanted: BrokerBinding): OsbAnswer {
  const isSame = attributes(existing) === attributes(wanted);
  if (isBeingMade(existing)) return isSame && existing.operation ? accepted(existing.operation.id) : differs();
  if (isUnderWay(existing)) return concurrency();
  return isSame ? answer(200, { credentials: existing.credentials }) : differs();
}

const attributes = (binding: BrokerBinding): string =>
  canonicalJson([
    binding.instanceId,
    binding.serviceId,
    binding.planId,
    binding.parameters,
    binding.bindResource,
    binding.predecessorId ?? null,
  ]);

interface Making {
  readonly offering: CatalogOffering;
  readonly plan: CatalogPlan;
  readonly request: OsbRequest;
}

/** Bindings are made later only if the platform takes that and can fetch them then. */
const isLater = ({ offering, plan, request }: Making): boolean =>
  paceOf(plan) !== 'sync' &&
  offering.bindings_retrievable === true &&
  request.query.get('accepts_incomplete') === 'true';

function make(state: BrokerState, binding: BrokerBinding, making: Making): OsbAnswer {
  state.bindings.set(binding.id, binding);
  if (!isLater(making)) return answer(201, { credentials: binding.credentials });
  binding.operation = state.begin(making.plan, {
    type: 'bind',
    fingerprint: attributes(binding),
    complete: () => undefined,
  });
  return accepted(binding.operation.id);
}

function unbind(state: BrokerState, { id, instanceId }: BindingPlace, request: OsbRequest): OsbAnswer {
  const { query } = request;
  if (!isText(query.get('service_id')) || !isText(query.get('plan_id')))
    return badRequest('service_id or plan_id is missing');
  const binding = state.bindings.get(id);
  if (binding === undefined || binding.instanceId !== instanceId) return gone();
  if (binding.operation?.type === 'unbind' && isUnderWay(binding)) return accepted(binding.operation.id);
  if (isUnderWay(state.instances.get(instanceId))) return concurrency();
  const found = state.findPlan(binding.serviceId, binding.planId);
  if (found === undefined || !isLater({ ...found, request })) {
    delete binding.operation;
    state.forget(binding);
    return answer(200);
  }
  const complete = () => state.forget(binding);
  binding.operation = state.begin(found.plan, { type: 'unbind', fingerprint: '', complete });
  return accepted(binding.operation.id);
}

function fetchBinding(state: BrokerState, { id, instanceId }: BindingPlace): OsbAnswer {
  const binding = state.bindings.get(id);
  if (binding?.instanceId !== instanceId || isBeingMade(binding) || isWreck(binding)) return noSuch('binding');
  return answer(200, { credentials: binding.credentials, parameters: binding.parameters });
}
