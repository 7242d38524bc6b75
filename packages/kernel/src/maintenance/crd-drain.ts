import { crdFinalizer } from '../behaviours/custom-resource-definition.ts';
import type { CustomResourceDefinition } from '../registry/kind-of-crd.ts';
import { crdResource } from '../registry/kind-registry.ts';
import type { ResourceDeps } from '../resources/request.ts';
import { describeRemains } from './drain.ts';
import { withConditions } from './drain-conditions.ts';
import { DrainTask } from './drain-task.ts';
import { withoutFinalizer } from './task.ts';

/** Deletes the objects of CRDs that are being deleted, then lets the CRDs go. */
export const crdDrain = (deps: ResourceDeps): DrainTask =>
  new DrainTask(deps, {
    name: 'crd-drain',
    resource: crdResource,
    holderOf: ({ cluster, resource }) => {
      const [group = '', plural = ''] = resource.split('/');
      return { cluster, resource: crdResource, namespace: '', name: `${plural}.${group}` };
    },
    isWaiting: ({ metadata }) => metadata.finalizers?.includes(crdFinalizer) ?? false,
    contentsOf: (crd, { cluster }) => {
      const { group, names } = (crd as CustomResourceDefinition).spec;
      const resource = `${group}/${names.plural}`;
      // A CRD that was stored under the name of a built-in kind has made none of its objects.
      return deps.registry.isBuiltIn(resource, cluster) ? undefined : { cluster, resources: [resource] };
    },
    report: (live, remains, now) => {
      const message = describeRemains(remains);
      const reason = 'InstanceDeletionInProgress';
      return withConditions(live, [{ type: 'Terminating', status: 'True', reason, message }], now);
    },
    release: { endpoint: '', change: live => withoutFinalizer(live, crdFinalizer) },
  });
