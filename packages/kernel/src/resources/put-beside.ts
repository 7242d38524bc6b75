import type { KubeObject } from '@chandlery/api';
import type { BehaviourContext } from '../behaviours/behaviour.ts';
import type { Put } from '../store/store.ts';
import { putOf } from './commit.ts';

/**
 * The write that stores a new object of a built-in kind (`group/plural`) in the commit of another object of the same
 * cluster. It takes the place of whatever has its name.
 */
export function putBeside({ deps, target, now }: BehaviourContext, resource: string, object: KubeObject): Put {
  const kind = deps.registry.builtIn(resource);
  const { name = '', namespace = '' } = object.metadata;
  const metadata = { ...object.metadata, uid: deps.ids.uuid(), creationTimestamp: now };
  const key = { cluster: target.cluster, resource, namespace, name };
  return putOf(deps, kind, key, { ...object, metadata }, { type: 'any' });
}
