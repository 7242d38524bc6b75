import { apiError, type KubeObject } from '@chandlery/api';
import { putOf } from '../resources/commit.ts';
import type { Behaviour } from './behaviour.ts';

export interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
  status?: {
    phase?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string; lastTransitionTime?: string }[];
  };
}

export const namespaceFinalizer = 'kubernetes';
const nameLabel = 'kubernetes.io/metadata.name';

/** Namespaces that a logical cluster is born with and cannot lose. */
const permanentNamespaces = new Set(['default', 'kube-system']);

/** Namespaces hold a finalizer in their spec until they are empty, and are born with a service account. */
export const namespaceBehaviour: Behaviour = {
  prepareCreate(object) {
    const namespace = object as Namespace;
    namespace.spec = { finalizers: [namespaceFinalizer] };
    namespace.status = { phase: 'Active' };
    label(namespace);
  },
  prepareUpdate(object, live) {
    const [namespace, before] = [object as Namespace, live as Namespace];
    // Only the finalize endpoint changes spec.finalizers; it does so behind this behaviour's back.
    if (before.spec === undefined) delete namespace.spec;
    else namespace.spec = before.spec;
    label(namespace);
  },
  withCreate(object, { deps, target, now }) {
    const kind = deps.registry.builtIn('/serviceaccounts');
    const key = { cluster: target.cluster, resource: kind.resource, namespace: target.name, name: 'default' };
    return {
      writes: [
        putOf(deps, kind, key, defaultServiceAccount(object.metadata.name ?? '', deps.ids.uuid(), now), {
          type: 'any',
        }),
      ],
    };
  },
  beforeDelete(live) {
    const { name = '' } = live.metadata;
    if (permanentNamespaces.has(name)) {
      throw apiError('Forbidden', `namespaces "${name}" is forbidden: this namespace may not be deleted`, {
        name,
        kind: 'namespaces',
      });
    }
  },
  onTerminating(object) {
    (object as Namespace).status = { ...(object as Namespace).status, phase: 'Terminating' };
  },
  isHeld: object => ((object as Namespace).spec?.finalizers ?? []).length > 0,
};

function label(namespace: Namespace): void {
  namespace.metadata.labels = { ...namespace.metadata.labels, [nameLabel]: namespace.metadata.name ?? '' };
}

/** The service account that every namespace has from the start. */
export const defaultServiceAccount = (namespace: string, uid: string, now: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'default', namespace, uid, creationTimestamp: now },
});
