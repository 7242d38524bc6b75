import { smError } from '../../errors.ts';
import { enginePaths } from '../../model/operations/operation-state.ts';
import { trackDeprovision, trackUnknownDeletion } from '../../model/operations/track-delete.ts';
import type { BrokerWord } from '../../model/operations/tracked-operation.ts';
import { decideDelete } from '../../model/osb/decide-repeat.ts';
import type { InstanceRow } from '../../model/rows.ts';
import { countBindings, referencesOf } from '../../model/sharing/rows-of-instance.ts';
import { hear, passOn } from './broker-response.ts';
import { record } from './commit-record.ts';
import { callBroker } from './forward-request.ts';
import { openInstanceOperation, openUnknownDeletion, ownInstance, withRest } from './known-rows.ts';
import type { InstanceCall, OsbNeeds } from './osb-call.ts';
import { jsonAnswer, type OsbAnswer } from './osb-response.ts';
import { byRecord } from './respond-from-record.ts';
import { storeSpoilt } from './update-instance.ts';

/** Deletes an instance at the broker, known to us or not, and forgets it. */
export async function deprovisionInstance(call: InstanceCall, needs: OsbNeeds): Promise<OsbAnswer> {
  return needs.turns.ofInstances.run(call.route.instanceId, 'delete', () => inTurn(call, needs));
}

async function inTurn(call: InstanceCall, needs: OsbNeeds): Promise<OsbAnswer> {
  const { registry } = needs;
  const instance = ownInstance(registry, call);
  if (instance === undefined) return deleteAtBroker(call, needs);
  const recorded = await fromRecord(call, needs);
  if (recorded !== undefined) return recorded;
  if (instance.spec.referencedInstanceId !== undefined) return deleteReference(call, needs, instance);
  checkReferences(needs, instance);
  return deleteAtBroker(call, needs);
}

function fromRecord({ route, acceptsIncomplete }: InstanceCall, { registry }: OsbNeeds) {
  const decide = () =>
    decideDelete({ operation: openInstanceOperation(registry, route.instanceId), acceptsIncomplete });
  return byRecord(decide, () => Promise.resolve());
}

function checkReferences({ registry }: OsbNeeds, instance: InstanceRow): void {
  const ids = referencesOf(registry, instance)
    .map(({ id }) => id)
    .sort();
  if (ids.length === 0) return;
  throw smError('BadRequest', `the instance is shared and referred to by ${ids.join(', ')}`, { ids });
}

/** The broker has bindings of a reference, so they must go first; the reference itself it does not know. */
async function deleteReference(call: InstanceCall, needs: OsbNeeds, instance: InstanceRow): Promise<OsbAnswer> {
  const count = countBindings(needs.registry, instance);
  if (count > 0) throw smError('BadRequest', `could not delete instance due to ${count} existing bindings`);
  await store(call, needs, { isDone: true, body: {} });
  return jsonAnswer(200, {});
}

async function deleteAtBroker(call: InstanceCall, needs: OsbNeeds): Promise<OsbAnswer> {
  const { broker, acceptsIncomplete, route } = call;
  const answer = await callBroker(needs, call);
  const heard = hear(answer, { verb: 'deprovision', acceptsIncomplete, broker });
  if (heard.type === 'malformed') throw heard.error;
  if (heard.type === 'word') await store(call, needs, heard.word);
  else if (heard.isSpoilt) await storeSpoilt(needs, route.instanceId);
  return passOn(answer, broker);
}

/** Of an instance that we have never seen only its deletion is recorded. */
function store(
  { platform, correlationId, route }: InstanceCall,
  { registry }: OsbNeeds,
  word: BrokerWord,
): Promise<void> {
  return record(registry, () => {
    const instance = registry.instances.get(route.instanceId);
    const by = { platform, correlationId, registry };
    if (instance === undefined) {
      const unknown = { resourceType: enginePaths.instances, resourceId: route.instanceId };
      return trackUnknownDeletion(by, {
        ...unknown,
        word,
        open: openUnknownDeletion(registry, { ...unknown, platform }),
      });
    }
    const open = openInstanceOperation(registry, instance.id);
    return trackDeprovision(by, { ...withRest(registry, instance), word, open });
  });
}
