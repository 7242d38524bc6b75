import type { KubeObject } from '@chandlery/api';
import { putOf } from '../../resources/commit.ts';
import type { Put } from '../../store/store.ts';
import type { BehaviourContext } from '../behaviour.ts';

/** The write of an event of type Warning about an object, for the commit that creates the object. */
export function warningEvent(
  { apiVersion, kind, metadata }: KubeObject,
  { reason, message }: { readonly reason: string; readonly message: string },
  { deps, target, now }: BehaviourContext,
): Put {
  const { name = '', namespace = '', uid } = metadata;
  const eventName = `${name}.${deps.ids.uuid().slice(0, 16)}`;
  const event: KubeObject = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: eventName, namespace, uid: deps.ids.uuid(), creationTimestamp: now },
    involvedObject: { apiVersion, kind, name, namespace, ...(uid === undefined ? {} : { uid }) },
    type: 'Warning',
    reason,
    message,
    source: { component: 'chandlery' },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
  const eventKind = deps.registry.builtIn('/events');
  const key = { cluster: target.cluster, resource: eventKind.resource, namespace, name: eventName };
  return putOf(deps, eventKind, key, event, { type: 'absent' });
}
