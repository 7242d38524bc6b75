import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { controllerOf, type EventRecorder, isSameJson, setController } from '@chandlery/runtime';
import type { Deployment, ReplicaSet } from '../../model/workloads/objects.ts';
import { isSameTemplate } from '../../model/workloads/pod-template.ts';
import { currentAnnotations, limitsOf, newSet, type Sets, sizeAnnotations } from '../../model/workloads/revisions.ts';
import { refs, refTo } from './refs.ts';
import type { WrittenCache } from './written-cache.ts';

export interface SetWriter {
  readonly client: Client;
  readonly cache: WrittenCache<ReplicaSet>;
  readonly events: EventRecorder;
}

/** Creates the replica set of a deployment's template. A name conflict counts as a collision and is reported. */
export async function makeSet(
  { client, cache, events }: SetWriter,
  deployment: Deployment,
  { sets, replicas }: { readonly sets: Sets; readonly replicas: number },
): Promise<ReplicaSet | 'collision'> {
  const set = newSet(deployment);
  setController(set, deployment);
  set.spec = { ...set.spec, replicas };
  const sizes = sizeAnnotations(deployment.spec?.replicas ?? 1, limitsOf(deployment));
  set.metadata.annotations = { ...currentAnnotations(deployment, sets), ...sizes };
  try {
    const made = cache.wrote(await client.create<ReplicaSet>(collectionOf(set), set));
    if (replicas > 0) recordScale(events, deployment, made, 0);
    return made;
  } catch (error) {
    if (!isError(error, 'AlreadyExists')) throw error;
    const existing = await client.get<ReplicaSet>(refTo(refs.replicaSets, set));
    const isOurs =
      controllerOf(existing)?.uid === deployment.metadata.uid &&
      isSameTemplate(existing.spec?.template, deployment.spec?.template);
    return isOurs ? cache.wrote(existing) : 'collision';
  }
}

const collectionOf = ({ metadata }: ReplicaSet) => ({ ...refs.replicaSets, namespace: metadata.namespace ?? '' });

/** Keeps annotations and `minReadySeconds` of the current set equal to the deployment's. */
export async function reviseSet(
  { client, cache }: SetWriter,
  deployment: Deployment,
  sets: Sets & { readonly current: ReplicaSet },
): Promise<void> {
  const { current } = sets;
  const annotations = currentAnnotations(deployment, sets);
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  const isSame =
    isSameJson(annotations, current.metadata.annotations) && (current.spec?.minReadySeconds ?? 0) === minReadySeconds;
  if (isSame) return;
  const gone = Object.keys(current.metadata.annotations ?? {}).filter(name => !(name in annotations));
  const changed = { ...annotations, ...Object.fromEntries(gone.map(name => [name, null])) };
  const { uid, resourceVersion } = current.metadata;
  const body = { metadata: { uid, resourceVersion, annotations: changed }, spec: { minReadySeconds } };
  cache.wrote(await client.patch<ReplicaSet>(refTo(refs.replicaSets, current), { type: 'merge', body }));
}

/** Sets the number of a set's pods, and the size of the deployment. */
export async function scaleSet(
  { client, cache, events }: SetWriter,
  deployment: Deployment,
  { set, replicas }: { readonly set: ReplicaSet; readonly replicas: number },
): Promise<void> {
  const annotations = sizeAnnotations(deployment.spec?.replicas ?? 1, limitsOf(deployment));
  const before = set.spec?.replicas ?? 1;
  const known = set.metadata.annotations ?? {};
  if (before === replicas && Object.entries(annotations).every(([name, value]) => known[name] === value)) return;
  const { uid, resourceVersion } = set.metadata;
  const body = { metadata: { uid, resourceVersion, annotations }, spec: { replicas } };
  const scaled = cache.wrote(await client.patch<ReplicaSet>(refTo(refs.replicaSets, set), { type: 'merge', body }));
  if (before !== replicas) recordScale(events, deployment, scaled, before);
}

function recordScale(events: EventRecorder, deployment: Deployment, set: ReplicaSet, before: number): void {
  const after = set.spec?.replicas ?? 1;
  const message = `Scaled ${after > before ? 'up' : 'down'} replica set ${set.metadata.name} from ${before} to ${after}`;
  events.record(deployment, { type: 'Normal', reason: 'ScalingReplicaSet', message });
}

/** Deletes a replica set that is no longer needed. */
export async function removeSet({ client, cache }: SetWriter, set: ReplicaSet): Promise<void> {
  const { uid, resourceVersion } = set.metadata;
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  try {
    await client.delete(refTo(refs.replicaSets, set), { propagationPolicy: 'Background', preconditions });
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
  cache.removed(set);
}
