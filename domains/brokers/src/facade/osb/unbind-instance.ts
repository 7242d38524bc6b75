import { enginePaths } from '../../model/operations/operation-state.ts';
import { trackUnbind, trackUnknownDeletion } from '../../model/operations/track-delete.ts';
import type { BrokerWord } from '../../model/operations/tracked-operation.ts';
import { decideDelete } from '../../model/osb/decide-repeat.ts';
import { bindingTarget } from './binding-target.ts';
import { hear, passOn } from './broker-response.ts';
import { record } from './commit-record.ts';
import { callBroker } from './forward-request.ts';
import { openBindingOperation, openUnknownDeletion, ownBinding, ownInstance } from './known-rows.ts';
import type { BindingCall, OsbNeeds } from './osb-call.ts';
import type { OsbAnswer } from './osb-response.ts';
import { byRecord } from './respond-from-record.ts';

/** Deletes a binding at the broker, known to us or not, and forgets it. */
export async function unbindInstance(call: BindingCall, needs: OsbNeeds): Promise<OsbAnswer> {
  return needs.turns.ofBindings.run(call.route.bindingId, 'delete', () => inTurn(call, needs));
}

async function inTurn(call: BindingCall, needs: OsbNeeds): Promise<OsbAnswer> {
  const { registry } = needs;
  const { broker, acceptsIncomplete } = call;
  const instance = ownInstance(registry, call);
  const binding = ownBinding(registry, call);
  const recorded = binding === undefined ? undefined : await fromRecord(call, needs);
  if (recorded !== undefined) return recorded;
  const answer = await callBroker(needs, call, bindingTarget(registry, call, instance).change);
  const heard = hear(answer, { verb: 'unbind', acceptsIncomplete, broker });
  if (heard.type === 'malformed') throw heard.error;
  if (heard.type === 'word') await store(call, needs, heard.word);
  return passOn(answer, broker);
}

function fromRecord({ route, acceptsIncomplete }: BindingCall, { registry }: OsbNeeds) {
  const decide = () => decideDelete({ operation: openBindingOperation(registry, route.bindingId), acceptsIncomplete });
  return byRecord(decide, () => Promise.resolve());
}

/** Of a binding that we have never seen only its deletion is recorded. */
function store(
  { platform, correlationId, route }: BindingCall,
  { registry }: OsbNeeds,
  word: BrokerWord,
): Promise<void> {
  return record(registry, () => {
    const binding = registry.bindings.get(route.bindingId);
    const by = { platform, correlationId, registry };
    if (binding === undefined) {
      const unknown = { resourceType: enginePaths.bindings, resourceId: route.bindingId };
      return trackUnknownDeletion(by, {
        ...unknown,
        word,
        open: openUnknownDeletion(registry, { ...unknown, platform }),
      });
    }
    const open = openBindingOperation(registry, binding.id);
    return trackUnbind(by, { binding, word, open });
  });
}
