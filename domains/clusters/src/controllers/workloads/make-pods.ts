import { isError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type EventRecorder, ownerReference } from '@chandlery/runtime';
import type { PodObject, PodTemplate } from '../../model/workloads/objects.ts';
import { refs, refTo } from './refs.ts';
import type { WrittenCache } from './written-cache.ts';

export interface PodWriter {
  readonly client: Pick<Client, 'create' | 'delete'>;
  readonly cache: WrittenCache<PodObject>;
  readonly events: EventRecorder;
}

/** Builds a pod of a template, for an owner. */
export const podOf = (owner: KubeObject, template: PodTemplate, name = `${owner.metadata.name}-`): PodObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    // Leaves room for the five letters that the server adds.
    generateName: name.slice(0, 58),
    ...(owner.metadata.namespace === undefined ? {} : { namespace: owner.metadata.namespace }),
    ...structuredClone(template.metadata ?? {}),
    ownerReferences: [ownerReference(owner, { controller: true, blockOwnerDeletion: true })],
  },
  spec: structuredClone(template.spec ?? { containers: [] }),
});

/**
 * Creates pods, first one, then two, four and so on, so that a persistent failure is not repeated a hundred times.
 * Throws the first failure; created pods are added to the cache all the same.
 */
export async function makePods(maker: PodWriter, owner: KubeObject, pods: readonly PodObject[]): Promise<void> {
  for (let done = 0, batch = 1; done < pods.length; done += batch, batch *= 2) {
    const made = await Promise.allSettled(pods.slice(done, done + batch).map(pod => makePod(maker, owner, pod)));
    const failure = made.find(result => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  }
}

async function makePod({ client, cache, events }: PodWriter, owner: KubeObject, pod: PodObject): Promise<void> {
  const { namespace = '' } = pod.metadata;
  try {
    const made = cache.wrote(await client.create<PodObject>({ ...refs.pods, namespace }, pod));
    events.record(owner, { type: 'Normal', reason: 'SuccessfulCreate', message: `Created pod: ${made.metadata.name}` });
  } catch (error) {
    const message = `Error creating: ${error instanceof Error ? error.message : String(error)}`;
    events.record(owner, { type: 'Warning', reason: 'FailedCreate', message });
    throw error;
  }
}

/** Deletes pods; a missing one is no error. */
export async function removePods(maker: PodWriter, owner: KubeObject, pods: readonly PodObject[]): Promise<void> {
  const removed = await Promise.allSettled(pods.map(pod => removePod(maker, owner, pod)));
  const failure = removed.find(result => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}

async function removePod({ client, cache, events }: PodWriter, owner: KubeObject, pod: PodObject): Promise<void> {
  const { uid, name } = pod.metadata;
  try {
    await client.delete(refTo(refs.pods, pod), {
      propagationPolicy: 'Background',
      preconditions: uid === undefined ? {} : { uid },
    });
    events.record(owner, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted pod: ${name}` });
  } catch (error) {
    // Deleted, or another object of the same name.
    if (!isError(error, 'NotFound') && !isError(error, 'Conflict')) throw error;
  }
  cache.removed(pod);
}
