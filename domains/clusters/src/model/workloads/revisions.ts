import type { Deployment, ReplicaSet } from './objects.ts';
import { hashTemplate, isSameTemplate, templateHashLabel, withHash } from './pod-template.ts';
import { createdAtMs } from './pods.ts';
import type { RolloutLimits, RolloutView, SetView } from './rollout.ts';
import { rolloutLimits } from './rollout.ts';

export const revisionAnnotation = 'deployment.kubernetes.io/revision';
const historyAnnotation = 'deployment.kubernetes.io/revision-history';
const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas';
const maxAnnotation = 'deployment.kubernetes.io/max-replicas';

/** What belongs to one object alone and is not handed down to sets. */
const ownAnnotations: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
]);

const annotationNumber = ({ metadata }: ReplicaSet, name: string): number | undefined => {
  const text = metadata.annotations?.[name];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
};

/** The number of a set's revision; 0 when it has none. Exact: people and tools write any int64. */
export function revisionOf({ metadata }: ReplicaSet): bigint {
  const text = metadata.annotations?.[revisionAnnotation];
  return text !== undefined && /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
}

/** The sets of a deployment: the one of its template, and the others. */
export interface Sets {
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

/** Of several sets of the same template the oldest is the current one. */
export function sortSets({ spec }: Deployment, sets: readonly ReplicaSet[]): Sets {
  const living = sets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const oldestFirst = living.toSorted(
    (left, right) =>
      createdAtMs(left) - createdAtMs(right) || ((left.metadata.name ?? '') < (right.metadata.name ?? '') ? -1 : 1),
  );
  const current = oldestFirst.find(set => isSameTemplate(set.spec?.template, spec?.template));
  return { current, old: oldestFirst.filter(set => set !== current) };
}

/** The annotations that the current set should have. */
export function currentAnnotations({ metadata }: Deployment, { current, old }: Sets): Record<string, string> {
  const before = current?.metadata.annotations ?? {};
  const handedDown = Object.entries(metadata.annotations ?? {}).filter(([name]) => !ownAnnotations.has(name));
  const own = Object.entries(before).filter(([name]) => ownAnnotations.has(name));
  const known = current === undefined ? 0n : revisionOf(current);
  const next = old.map(revisionOf).reduce(larger, 0n) + 1n;
  const revision = larger(known, next);
  const history = known > 0n && known < revision ? [...historyOf(before), known].join(',') : before[historyAnnotation];
  return {
    ...Object.fromEntries([...handedDown, ...own]),
    [revisionAnnotation]: String(revision),
    ...(history === undefined ? {} : { [historyAnnotation]: history }),
  };
}

const larger = (left: bigint, right: bigint): bigint => (left > right ? left : right);

const historyOf = (annotations: Readonly<Record<string, string>>): readonly string[] =>
  (annotations[historyAnnotation] ?? '').split(',').filter(revision => revision !== '');

/** The deployment's size recorded on a set, by which a later change is detected. */
export const sizeAnnotations = (replicas: number, { maxSurge }: RolloutLimits): Record<string, string> => ({
  [desiredAnnotation]: String(replicas),
  [maxAnnotation]: String(replicas + maxSurge),
});

/** The limits of a deployment; all pods at once may be missing when it recreates them. */
export function limitsOf({ spec }: Deployment): RolloutLimits {
  const replicas = spec?.replicas ?? 1;
  if (spec?.strategy?.type === 'Recreate') return { maxSurge: 0, maxUnavailable: replicas };
  return rolloutLimits(replicas, spec?.strategy?.rollingUpdate);
}

/** The deployment and its sets as rollouts see them. */
export const viewRollout = (deployment: Deployment, { current, old }: Sets): RolloutView => ({
  replicas: deployment.spec?.replicas ?? 1,
  limits: limitsOf(deployment),
  current: current === undefined ? undefined : viewSet(current),
  old: old.map(viewSet),
});

function viewSet(set: ReplicaSet): SetView {
  const desired = annotationNumber(set, desiredAnnotation);
  const max = annotationNumber(set, maxAnnotation);
  return {
    name: set.metadata.name ?? '',
    replicas: set.spec?.replicas ?? 1,
    available: set.status?.availableReplicas ?? 0,
    createdAtMs: createdAtMs(set),
    ...(desired === undefined ? {} : { desired }),
    ...(max === undefined ? {} : { max }),
  };
}

/** The set that a deployment's template asks for, with no pods yet. */
export function newSet(deployment: Deployment): ReplicaSet {
  const { metadata, spec } = deployment;
  const template = spec?.template ?? {};
  const hash = hashTemplate(template, deployment.status?.collisionCount ?? 0);
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name}-${hash}`,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels: { ...template.metadata?.labels, [templateHashLabel]: hash },
    },
    spec: {
      replicas: 0,
      minReadySeconds: spec?.minReadySeconds ?? 0,
      selector: { ...spec?.selector, matchLabels: { ...spec?.selector?.matchLabels, [templateHashLabel]: hash } },
      template: withHash(structuredClone(template), hash),
    },
  };
}

/** Old sets that are empty and more than should be kept, those of the lowest revisions. */
export function surplusSets({ spec }: Deployment, { old }: Sets): readonly ReplicaSet[] {
  const empty = old.filter(
    ({ spec: wanted, status }) => (wanted?.replicas ?? 1) === 0 && (status?.replicas ?? 0) === 0,
  );
  const surplus = old.length - (spec?.revisionHistoryLimit ?? 10);
  if (surplus <= 0) return [];
  return empty.toSorted((left, right) => Number(revisionOf(left) - revisionOf(right))).slice(0, surplus);
}
