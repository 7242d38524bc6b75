import type { JsonObject } from '@chandlery/api';
import { notFound, smError } from '../../../../errors.ts';
import type { BindingRow, InstanceRow } from '../../../../model/rows.ts';
import { brokerInstanceOf } from '../../../../model/sharing/rows-of-instance.ts';
import type { SmRequest } from '../../resource-handler.ts';
import { fetchFromBroker } from '../../shared/fetch-from-broker.ts';
import type { InstanceDeps } from '../../shared/instance-deps.ts';
import { catalogPlaceOf } from './check-change.ts';

/** The parameters of an instance as its broker knows them now. A reference answers what it refers to. */
export async function instanceParameters(
  deps: InstanceDeps,
  row: InstanceRow,
  request: SmRequest,
): Promise<JsonObject> {
  rejectAsync(request);
  const { referencedInstanceId } = row.spec;
  if (referencedInstanceId !== undefined) return { referenced_instance_id: referencedInstanceId };
  const place = catalogPlaceOf(deps.registry, row);
  if (place.offering.spec.instancesRetrievable !== true) throw notRetrievable('instances', place.offering.spec.name);
  return parametersIn(await fetchFromBroker(deps, request, { place, instanceId: row.id }));
}

/** The parameters of a binding as its broker knows them now. */
export async function bindingParameters(deps: InstanceDeps, row: BindingRow, request: SmRequest): Promise<JsonObject> {
  rejectAsync(request);
  const { registry } = deps;
  const instance = registry.instances.get(row.spec.instanceId);
  // The spec may say anything: what another tenant has is not there.
  if (instance?.tenant !== row.tenant) throw notFound('service instance');
  const known = brokerInstanceOf(registry, instance);
  const place = catalogPlaceOf(registry, known);
  if (place.offering.spec.bindingsRetrievable !== true) throw notRetrievable('bindings', place.offering.spec.name);
  return parametersIn(await fetchFromBroker(deps, request, { place, instanceId: known.id, bindingId: row.id }));
}

function rejectAsync({ mode }: SmRequest): void {
  if (mode === 'async') throw smError('InvalidRequest', "requested api doesn't support asynchronous operations");
}

const notRetrievable = (what: string, offering: string) =>
  smError('BadRequest', `offering ${offering} does not support the retrieval of ${what}`);

/** Throws `BrokerError` for parameters that are no object. */
function parametersIn(body: JsonObject): JsonObject {
  const parameters = body['parameters'] ?? {};
  if (typeof parameters === 'object' && !Array.isArray(parameters)) return parameters;
  throw smError('BrokerError', 'the broker responded with parameters that are not an object');
}
