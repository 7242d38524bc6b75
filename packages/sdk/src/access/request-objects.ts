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

/** Builds the AccessRequest of a requirement. */
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

/** Builds the ClusterRequest of a requirement; undefined when it refers to the request of another owner. */
export function clusterRequestFor(requirement: AccessRequirement, provider: string): ClusterRequest | undefined {
  const { purpose, ...place } = requirement.request;
  return purpose === undefined
    ? undefined
    : clusterRequests.object(metadataFor(requirement, provider, place), { purpose });
}

/** Whether the provider created the object. */
export const isManagedBy = (object: KubeObject, provider: string): boolean =>
  object.metadata.labels?.[sdkNames.managedByLabel] === shorten(provider);

/** The key of what a request was created for: a service object, or all objects of the provider. */
export const objectKeyOf = ({ object }: AccessRequirement, provider: string): string =>
  object === undefined ? sharedKeyOf(provider) : `${object.namespace}/${object.name}`;

/** Whether a request was handed over by the object, or provider, of the requirement. */
export function isHandedOver({ metadata }: KubeObject, requirement: AccessRequirement, provider: string): boolean {
  const { handedOverLabel, formerObjectAnnotation } = retainedNames;
  const former = formerObjectOf(provider, objectKeyOf(requirement, provider));
  return metadata.labels?.[handedOverLabel] === 'true' && metadata.annotations?.[formerObjectAnnotation] === former;
}

/** What a retained service needs to know about its access. */
export interface RetainedAccess {
  /** The key of the RetainedService, or the key that stands for all of them. */
  readonly holder: string;
  /** The kinds of the objects that the service has on the cluster, which are deleted at its end. */
  readonly kinds: readonly ResourceRef[];
  /** Secrets that contain the token. */
  readonly copies: NonNullable<AccessRequest['spec']['copies']>;
}

/** Metadata that names the future holder of a request. */
export const preparedMetadata = (
  requirement: AccessRequirement,
  provider: string,
  { holder, kinds }: Pick<RetainedAccess, 'holder' | 'kinds'>,
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

/** Labels that release a request from its object. */
export const handedOverLabels = (): Record<string, string | null> => ({
  [sdkNames.managedByLabel]: null,
  [retainedNames.handedOverLabel]: 'true',
});

/** Labels that give a request back to an object; the preparation stays until everything is taken over. */
export const takenBackLabels = (provider: string): Record<string, string | null> => ({
  [sdkNames.managedByLabel]: shorten(provider),
  [retainedNames.handedOverLabel]: null,
});

/** Metadata that withdraws the preparation of a hand-over. */
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
