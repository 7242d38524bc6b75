import type { KubeObject, ObjectMeta } from '@chandlery/api';
import type { ResourceRef } from '@chandlery/client';
import {
  type AccessRequest,
  accessRequests,
  type ClusterRequest,
  clusterRequests,
  shorten,
} from '@chandlery/clusters/kinds';
import { formerObjectOf, retainedNames } from '@chandlery/providers/kinds';
import type { AccessRequirement } from '../model/access-requirements.ts';
import { instanceIdOf, sdkNames, sharedKeyOf } from '../model/names.ts';
import type { Place } from '../sync/syncer.ts';

/** The AccessRequest that a wish asks for. */
export const accessRequestFor = (requirement: AccessRequirement, provider: string): AccessRequest =>
  accessRequests.object(metadataFor(requirement, provider, requirement.place), {
    ...clusterOf(requirement),
    token: requirement.token,
  });

const clusterOf = ({
  cluster,
  request,
}: AccessRequirement): Pick<AccessRequest['spec'], 'clusterRef' | 'requestRef'> =>
  cluster === undefined
    ? { requestRef: { name: request.name, namespace: request.namespace } }
    : { clusterRef: { name: cluster.name, namespace: cluster.namespace } };

/** The ClusterRequest that a wish asks for; undefined when it means somebody else's. */
export function clusterRequestFor(requirement: AccessRequirement, provider: string): ClusterRequest | undefined {
  const { purpose, ...place } = requirement.request;
  return purpose === undefined
    ? undefined
    : clusterRequests.object(metadataFor(requirement, provider, place), { purpose });
}

/** Whether a provider made the object. */
export const isManagedBy = (object: KubeObject, provider: string): boolean =>
  object.metadata.labels?.[sdkNames.managedByLabel] === shorten(provider);

/** The key of what a request was made for: an object, or all that a provider serves. */
export const objectKeyOf = ({ object }: AccessRequirement, provider: string): string =>
  object === undefined ? sharedKeyOf(provider) : `${object.namespace}/${object.name}`;

/** Whether a request was handed over by the very object, or provider, that the wish is for. */
export function isHandedOver({ metadata }: KubeObject, requirement: AccessRequirement, provider: string): boolean {
  const { handedOverLabel, formerObjectAnnotation } = retainedNames;
  const former = formerObjectOf(provider, objectKeyOf(requirement, provider));
  return metadata.labels?.[handedOverLabel] === 'true' && metadata.annotations?.[formerObjectAnnotation] === former;
}

/** What a retained service needs to know of its access. */
export interface HandOver {
  /** The key of the RetainedService, or what stands for all of them. */
  readonly holder: string;
  /** What the service has on the cluster and is taken away at its end. */
  readonly kinds: readonly ResourceRef[];
  /** Secrets that hold the token. */
  readonly copies: NonNullable<AccessRequest['spec']['copies']>;
}

/** The metadata that says who will hold a request when its object is gone. */
export const preparedMetadata = (
  requirement: AccessRequirement,
  provider: string,
  { holder, kinds }: Pick<HandOver, 'holder' | 'kinds'>,
): { annotations: Record<string, string> } => ({
  annotations: {
    [retainedNames.retainedByAnnotation]: holder,
    [retainedNames.formerObjectAnnotation]: formerObjectOf(provider, objectKeyOf(requirement, provider)),
    [retainedNames.keptKindsAnnotation]: kinds
      .map(({ plural, version, group }) => `${plural}.${version}.${group}`)
      .sort()
      .join(','),
  },
});

/** The patch that takes a request from its object. */
export const handedOverLabels = (): Record<string, string | null> => ({
  [sdkNames.managedByLabel]: null,
  [retainedNames.handedOverLabel]: 'true',
});

/** The patch that gives a request to an object again; what is prepared stays, until all of it is taken over. */
export const takenBackLabels = (provider: string): Record<string, string | null> => ({
  [sdkNames.managedByLabel]: shorten(provider),
  [retainedNames.handedOverLabel]: null,
});

/** The patch that forgets all preparations. */
export const unpreparedMetadata = {
  annotations: {
    [retainedNames.retainedByAnnotation]: null,
    [retainedNames.formerObjectAnnotation]: null,
    [retainedNames.keptKindsAnnotation]: null,
  },
};

function metadataFor({ object }: AccessRequirement, provider: string, { namespace, name }: Place): ObjectMeta {
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
