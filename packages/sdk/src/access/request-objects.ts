import type { KubeObject, ObjectMeta } from '@chandlery/api';
import {
  type AccessRequest,
  accessRequests,
  type ClusterRequest,
  clusterRequests,
  shorten,
} from '@chandlery/clusters/kinds';
import type { AccessWish } from '../model/access-wishes.ts';
import { instanceIdOf, sdkNames } from '../model/names.ts';
import type { Place } from '../sync/syncer.ts';

/** The AccessRequest that a wish asks for. */
export const accessRequestFor = (wish: AccessWish, provider: string): AccessRequest =>
  accessRequests.object(metadataFor(wish, provider, wish.place), {
    requestRef: { name: wish.request.name, namespace: wish.request.namespace },
    token: wish.token,
  });

/** The ClusterRequest that a wish asks for; undefined when it means somebody else's. */
export function clusterRequestFor(wish: AccessWish, provider: string): ClusterRequest | undefined {
  const { purpose, ...place } = wish.request;
  return purpose === undefined ? undefined : clusterRequests.object(metadataFor(wish, provider, place), { purpose });
}

/** Whether a provider made the object. */
export const isManagedBy = (object: KubeObject, provider: string): boolean =>
  object.metadata.labels?.[sdkNames.managedByLabel] === shorten(provider);

function metadataFor({ object }: AccessWish, provider: string, { namespace, name }: Place): ObjectMeta {
  const managedBy = { [sdkNames.managedByLabel]: shorten(provider) };
  const own = { name, namespace };
  if (object === undefined) return { ...own, labels: managedBy };
  return {
    ...own,
    labels: { ...managedBy, [sdkNames.instanceLabel]: instanceIdOf(object) },
    annotations: {
      [sdkNames.objectAnnotation]: `${object.namespace}/${object.name}`,
      ...(object.deletionPolicy && { [sdkNames.policyAnnotation]: object.deletionPolicy }),
    },
  };
}
