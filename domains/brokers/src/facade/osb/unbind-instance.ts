import { enginePaths } from '../../model/operations/operation-state.ts';
import { trackUnbind, trackUnknownDeletion } from '../../model/operations/track-delete.ts';
import type { BrokerResult } from '../../model/operations/tracked-operation.ts';
import { decideDelete } from '../../model/osb/decide-repeat.ts';
import { bindingTarget } from './binding-target.ts';
import { forwardResponse, interpretResponse } from './broker-response.ts';
import { commitRecord } from './commit-record.ts';
import { forwardRequest } from './forward-request.ts';
import { openBindingOperation, openUnknownDeletion, ownBinding, ownInstance } from './known-rows.ts';
import type { BindingCall, OsbDeps } from './osb-call.ts';
import type { OsbResponse } from './osb-response.ts';
import { respondFromRecord } from './respond-from-record.ts';

/** Deletes a binding at the broker, known to us or not, and forgets it. */
export async function unbindInstance(call: BindingCall, deps: OsbDeps): Promise<OsbResponse> {
  return deps.coalescers.bindings.run(call.route.bindingId, 'delete', () => runExclusively(call, deps));
}

async function runExclusively(call: BindingCall, deps: OsbDeps): Promise<OsbResponse> {
  const { registry } = deps;
  const { broker, acceptsIncomplete } = call;
  const instance = ownInstance(registry, call);
  const binding = ownBinding(registry, call);
  const recorded = binding === undefined ? undefined : await fromRecord(call, deps);
  if (recorded !== undefined) return recorded;
  const response = await forwardRequest(deps, call, bindingTarget(registry, call, instance).change);
  const interpreted = interpretResponse(response, { verb: 'unbind', acceptsIncomplete, broker });
  if (interpreted.type === 'malformed') throw interpreted.error;
  if (interpreted.type === 'result') await store(call, deps, interpreted.result);
  return forwardResponse(response, broker);
}

function fromRecord({ route, acceptsIncomplete }: BindingCall, { registry }: OsbDeps) {
  const decide = () => decideDelete({ operation: openBindingOperation(registry, route.bindingId), acceptsIncomplete });
  return respondFromRecord(decide, () => Promise.resolve());
}

/** Of a binding that we have never seen only its deletion is recorded. */
function store(
  { platform, correlationId, route }: BindingCall,
  { registry }: OsbDeps,
  result: BrokerResult,
): Promise<void> {
  return commitRecord(registry, () => {
    const binding = registry.bindings.get(route.bindingId);
    const by = { platform, correlationId, registry };
    if (binding === undefined) {
      const unknown = { resourceType: enginePaths.bindings, resourceId: route.bindingId };
      return trackUnknownDeletion(by, {
        ...unknown,
        result,
        open: openUnknownDeletion(registry, { ...unknown, platform }),
      });
    }
    const open = openBindingOperation(registry, binding.id);
    return trackUnbind(by, { binding, result, open });
  });
}
