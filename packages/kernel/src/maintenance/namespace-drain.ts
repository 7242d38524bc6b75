import type { KubeObject } from '@chandlery/api';
import { type Namespace, namespaceFinalizer } from '../behaviours/namespace.ts';
import type { ResourceDeps } from '../resources/request.ts';
import { describeCounts, describeFinalizers, type Remains } from './drain.ts';
import { withConditions } from './drain-conditions.ts';
import { DrainTask } from './drain-task.ts';

const resource = '/namespaces';

/** Empties namespaces that are being deleted, says what blocks them, and lets them go. */
export const namespaceDrain = (deps: ResourceDeps): DrainTask =>
  new DrainTask(deps, {
    name: 'namespace-drain',
    resource,
    holderOf: ({ cluster, namespace }) =>
      namespace === '' ? undefined : { cluster, resource, namespace: '', name: namespace },
    isWaiting: ({ spec }: Namespace) => spec?.finalizers?.includes(namespaceFinalizer) ?? false,
    contentsOf: async (_, { cluster, name }) => {
      const collections = await deps.store.collections(cluster);
      const resources = collections.map(collection => collection.resource).filter(other => other !== resource);
      return { cluster, namespace: name, resources };
    },
    report: (live, remains, now) => {
      const namespace = withConditions(live, conditionsOf(remains), now) as Namespace;
      return { ...namespace, status: { ...namespace.status, phase: 'Terminating' } };
    },
    release: { endpoint: 'finalize', change: withoutNamespaceFinalizer },
  });

function withoutNamespaceFinalizer(live: KubeObject): KubeObject {
  const { spec } = live as Namespace;
  return {
    ...live,
    spec: { ...spec, finalizers: (spec?.finalizers ?? []).filter(name => name !== namespaceFinalizer) },
  };
}

function conditionsOf(remains: Remains): { type: string; status: string; reason: string; message: string }[] {
  const hasFinalizers = remains.finalizers.size > 0;
  return [
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      status: 'False',
      reason: 'ResourcesDiscovered',
      message: 'All resources successfully discovered',
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      status: 'False',
      reason: 'ParsedGroupVersions',
      message: 'All legacy kube types successfully parsed',
    },
    {
      type: 'NamespaceDeletionContentFailure',
      status: 'False',
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    },
    {
      type: 'NamespaceContentRemaining',
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: `Some resources are remaining: ${describeCounts(remains)}`,
    },
    hasFinalizers
      ? {
          type: 'NamespaceFinalizersRemaining',
          status: 'True',
          reason: 'SomeFinalizersRemain',
          message: `Some content in the namespace has finalizers remaining: ${describeFinalizers(remains)}`,
        }
      : {
          type: 'NamespaceFinalizersRemaining',
          status: 'False',
          reason: 'ContentHasNoFinalizers',
          message: 'All content-preserving finalizers finished',
        },
  ];
}
