import { type Cluster, clusters } from '../../kinds/cluster.ts';
import type { ClusterRequest } from '../../kinds/cluster-request.ts';
import { holdOf, withoutHolds } from './holds.ts';
import type { HoldMetadata, Plan } from './plan.ts';
import { isExclusive, type Place, type PurposeRule, templateMetadata } from './purpose-rule.ts';

/** Holds an existing cluster for a request, or grants it if there is nothing to write. */
export function planHold(request: ClusterRequest, cluster: Cluster, orphans: readonly string[]): Plan {
  const metadata = heldMetadata(request, cluster, orphans);
  // An object that is being deleted accepts no new finalizers, and its labels do not matter any more.
  const isSettled = cluster.metadata.deletionTimestamp !== undefined || isAsStored(metadata, cluster);
  return isSettled ? { type: 'grant', cluster } : { type: 'hold', cluster, metadata, orphans };
}

function heldMetadata(request: ClusterRequest, cluster: Cluster, orphans: readonly string[]): HoldMetadata {
  const { labels = {}, annotations = {} } = cluster.metadata;
  const copied = isExclusive(cluster) ? copiedMetadata(request) : { labels: {}, annotations: {} };
  const hold = holdOf(request.metadata.uid ?? '');
  return {
    finalizers: [...new Set([...withoutHolds(cluster, orphans), hold])],
    labels: { ...labels, ...copied.labels },
    annotations: { ...annotations, ...copied.annotations },
  };
}

function isAsStored({ finalizers, labels, annotations }: HoldMetadata, { metadata }: Cluster): boolean {
  const isSame = (wanted: Readonly<Record<string, string>>, stored: Readonly<Record<string, string>> = {}): boolean =>
    Object.entries(wanted).every(([key, value]) => stored[key] === value);
  return (
    finalizers.length === (metadata.finalizers ?? []).length &&
    finalizers.every(name => metadata.finalizers?.includes(name)) &&
    isSame(labels, metadata.labels) &&
    isSame(annotations, metadata.annotations)
  );
}

/** A cluster from the template of its purpose, held by the request that it is created for. */
export function newCluster(request: ClusterRequest, rule: PurposeRule, { name, namespace }: Place): Cluster {
  const { purpose } = request.spec;
  const { labels, annotations } = templateMetadata(rule);
  const { spec } = rule.template;
  const copied = isExclusive(rule.template) ? copiedMetadata(request) : { labels: {}, annotations: {} };
  return clusters.object(
    {
      name,
      namespace,
      labels: { ...labels, ...copied.labels },
      annotations: { ...annotations, ...copied.annotations },
      finalizers: [holdOf(request.metadata.uid ?? '')],
    },
    { ...spec, purposes: [...new Set([...spec.purposes, purpose])] },
  );
}

const copiedPrefix = 'metadata.open-control-plane.io/';
type Texts = Readonly<Record<string, string>>;

/** The labels and annotations of a request that its exclusive cluster gets too. */
const copiedMetadata = ({ metadata }: ClusterRequest): { readonly labels: Texts; readonly annotations: Texts } => ({
  labels: copied(metadata.labels),
  annotations: copied(metadata.annotations),
});

const copied = (texts: Texts = {}): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([key]) => key.startsWith(copiedPrefix)));
