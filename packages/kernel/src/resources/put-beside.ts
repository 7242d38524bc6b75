import type { KubeObject } from '@chandlery/api';
import type { BehaviourContext } from '../behaviours/behaviour.ts';
import type { Put } from '../store/store.ts';
import { putOf } from './commit.ts';

/**
 * The write that stores a new object of a built-in kind (`group/plural`) in the commit of another object of the same
 * cluster. It takes the place of whatever has its name.
 */
export function putBeside({ needs, target, now }: BehaviourContext, resource: string, object: KubeObject): Put {
  const kind = needs.registry.builtIn(resource);
  const { name = '', namespace = '' } = object.metadata;
  const metadata = { ...object.metadata, uid: needs.ids.uuid(), creationTimestamp: now };
  const key = { cluster: target.cluster, resource, namespace, name };
  return putOf(needs, kind, key, { ...object, metadata }, { type: 'any' });
}
