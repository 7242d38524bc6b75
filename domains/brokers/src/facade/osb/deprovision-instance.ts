import { smError } from '../../errors.ts';
import { enginePaths } from '../../model/operations/operation-state.ts';
import { trackDeprovision, trackUnknownDeletion } from '../../model/operations/track-delete.ts';
import type { BrokerResult } from '../../model/operations/tracked-operation.ts';
import { decideDelete } from '../../model/osb/decide-repeat.ts';
import type { InstanceRow } from '../../model/rows.ts';
import { countBindings, referencesOf } from '../../model/sharing/rows-of-instance.ts';
import { forwardResponse, interpretResponse } from './broker-response.ts';
import { commitRecord } from './commit-record.ts';
import { forwardRequest } from './forward-request.ts';
import { openInstanceOperation, openUnknownDeletion, ownInstance, withRest } from './known-rows.ts';
import type { InstanceCall, OsbDeps } from './osb-call.ts';
import { jsonResponse, type OsbResponse } from './osb-response.ts';
import { respondFromRecord } from './respond-from-record.ts';
import { storeUnusable } from './update-instance.ts';

/** Deletes an instance at the broker, known to us or not, and forgets it. */
export async function deprovisionInstance(call: InstanceCall, deps: OsbDeps): Promise<OsbResponse> {
  return deps.coalescers.instances.run(call.route.instanceId, 'delete', () => runExclusively(call, deps));
}

async function runExclusively(call: InstanceCall, deps: OsbDeps): Promise<OsbResponse> {
  const { registry } = deps;
  const instance = ownInstance(registry, call);
  if (instance === undefined) return deleteAtBroker(call, deps);
  const recorded = await fromRecord(call, deps);
  if (recorded !== undefined) return recorded;
  if (instance.spec.referencedInstanceId !== undefined) return deleteReference(call, deps, instance);
  checkReferences(deps, instance);
  return deleteAtBroker(call, deps);
}

function fromRecord({ route, acceptsIncomplete }: InstanceCall, { registry }: OsbDeps) {
  const decide = () =>
    decideDelete({ operation: openInstanceOperation(registry, route.instanceId), acceptsIncomplete });
  return respondFromRecord(decide, () => Promise.resolve());
}

function checkReferences({ registry }: OsbDeps, instance: InstanceRow): void {
  const ids = referencesOf(registry, instance)
    .map(({ id }) => id)
    .sort();
  if (ids.length === 0) return;
  throw smError('BadRequest', `the instance is shared and referred to by ${ids.join(', ')}`, { ids });
}

/** The broker has bindings of a reference, so they must go first; the reference itself it does not know. */
async function deleteReference(call: InstanceCall, deps: OsbDeps, instance: InstanceRow): Promise<OsbResponse> {
  const count = countBindings(deps.registry, instance);
  if (count > 0) throw smError('BadRequest', `could not delete instance due to ${count} existing bindings`);
  await store(call, deps, { isDone: true, body: {} });
  return jsonResponse(200, {});
}

async function deleteAtBroker(call: InstanceCall, deps: OsbDeps): Promise<OsbResponse> {
  const { broker, acceptsIncomplete, route } = call;
  const response = await forwardRequest(deps, call);
  const interpreted = interpretResponse(response, { verb: 'deprovision', acceptsIncomplete, broker });
  if (interpreted.type === 'malformed') throw interpreted.error;
  if (interpreted.type === 'result') await store(call, deps, interpreted.result);
  else if (interpreted.isUnusable) await storeUnusable(deps, route.instanceId);
  return forwardResponse(response, broker);
}

/** Of an instance that we have never seen only its deletion is recorded. */
function store(
  { platform, correlationId, route }: InstanceCall,
  { registry }: OsbDeps,
  result: BrokerResult,
): Promise<void> {
  return commitRecord(registry, () => {
    const instance = registry.instances.get(route.instanceId);
    const by = { platform, correlationId, registry };
    if (instance === undefined) {
      const unknown = { resourceType: enginePaths.instances, resourceId: route.instanceId };
      return trackUnknownDeletion(by, {
        ...unknown,
        result,
        open: openUnknownDeletion(registry, { ...unknown, platform }),
      });
    }
    const open = openInstanceOperation(registry, instance.id);
    return trackDeprovision(by, { ...withRest(registry, instance), result, open });
  });
}
