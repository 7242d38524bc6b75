import { ChandleryError, type JsonValue, type KubeObject, type LabelSelectorObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import { ownerReference } from '@chandlery/runtime';
import { planClaims } from '../../model/workloads/claims.ts';
import { refTo } from './refs.ts';
import { orphansOf } from './workload-caches.ts';
import type { WrittenCache } from './written-cache.ts';

/** The owner and the objects of a claim. */
export interface ClaimOptions<T extends KubeObject> {
  readonly client: Pick<Client, 'get' | 'patch'>;
  readonly owner: KubeObject;
  readonly ownerRef: ResourceRef;
  readonly selector: LabelSelectorObject | undefined;
  readonly ref: ResourceRef;
  readonly cache: WrittenCache<T>;
}

/** Adopts matching objects without a controller, releases those that do not match, and returns the owner's objects. */
export async function claimObjects<T extends KubeObject>(options: ClaimOptions<T>): Promise<readonly T[]> {
  const { owner, cache, selector } = options;
  const { uid = '', namespace } = owner.metadata;
  const { adopt, release } = planClaims(owner, selector, [...cache.find(uid), ...cache.find(orphansOf(namespace))]);
  if (adopt.length > 0) await checkOwner(options);
  const reference = ownerReference(owner, { controller: true, blockOwnerDeletion: true });
  for (const object of adopt) await setOwners(options, object, [...others(object, uid), reference]);
  for (const object of release) await setOwners(options, object, others(object, uid));
  return cache.find(uid);
}

const others = ({ metadata }: KubeObject, uid: string) =>
  (metadata.ownerReferences ?? []).filter(reference => reference.uid !== uid);

/** Verifies live that the owner is not being deleted; adopted objects would be deleted with it. */
async function checkOwner({
  client,
  owner,
  ownerRef,
}: Pick<ClaimOptions<KubeObject>, 'client' | 'owner' | 'ownerRef'>): Promise<void> {
  const { metadata } = await client.get(refTo(ownerRef, owner));
  if (metadata.uid === owner.metadata.uid && metadata.deletionTimestamp === undefined) return;
  throw new ChandleryError('Conflict', `${owner.kind} "${metadata.name}" is being deleted and adopts nothing.`);
}

async function setOwners<T extends KubeObject>(
  { client, ref, cache }: ClaimOptions<T>,
  object: T,
  ownerReferences: KubeObject['metadata']['ownerReferences'],
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  const metadata = { uid, resourceVersion, ownerReferences: ownerReferences as unknown as JsonValue };
  cache.wrote(await client.patch<T>(refTo(ref, object), { type: 'merge', body: { metadata } }));
}
