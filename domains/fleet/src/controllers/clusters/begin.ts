import { clusterStates } from '../../kinds/index.ts';
import { indexTerm } from '../../registry/fleet-registry.ts';
import type { ClusterDraft, ClusterStep } from './cluster-draft.ts';

/** Gives a new cluster its first state. */
export const begin: ClusterStep = draft => {
  const { initialState } = draft.row.spec;
  const first = clusterStates.find(state => state === initialState) ?? 'cluster_accepted';
  if (draft.status.state === undefined) draft.moveTo(first);
  return 'continue';
};

/** Begins the removal of an empty cluster that was deleted or drained, or that is no longer in the document. */
export const retire: ClusterStep = (draft, { registry }) => {
  const { row, status } = draft;
  if (status.state === 'deprovisioning' || status.state === 'cleanup') return 'continue';
  const { product, clusterId, origin } = row.spec;
  const configuration = registry.configurations.get(product)?.configuration;
  const isDropped = origin === 'document' && configuration?.clusterIds.has(clusterId) === false;
  const isUnwanted = row.isDeleting || isDropped || (status.draining === true && origin !== 'document');
  if (!isUnwanted) return 'continue';
  if (registry.instances.count('cluster', indexTerm(product, clusterId)) === 0) draft.moveTo('deprovisioning');
  else explain(draft);
  return 'continue';
};

const explain = (draft: ClusterDraft): void => {
  if (draft.row.isDeleting) draft.lack('Ready', 'HasInstances', 'it is removed with its last instance');
};
