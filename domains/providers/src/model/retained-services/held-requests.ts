import type { KubeObject } from '@chandlery/api';
import type { AccessRequest, ClusterRequest } from '@chandlery/clusters/kinds';
import { type RetainedRequest, retainedNames } from '../../kinds/index.ts';

const { handedOverLabel, retainedByAnnotation } = retainedNames;

/** A request that a retained service lists, as it is on the platform cluster. */
export type HeldRequest =
  | { readonly kind: 'AccessRequest'; readonly object: AccessRequest }
  | { readonly kind: 'ClusterRequest'; readonly object: ClusterRequest };

/**
 * The owner of a request. Any client may have written the RetainedService; the request itself, which only the platform
 * and its providers write, decides. `pending`: the service object is still being deleted.
 */
export function standingOf({ metadata }: KubeObject, holder: string): 'held' | 'pending' | 'foreign' {
  if (metadata.annotations?.[retainedByAnnotation] !== holder) return 'foreign';
  return metadata.labels?.[handedOverLabel] === 'true' ? 'held' : 'pending';
}

/** `AccessRequest mcp--x/foo--a--mcp`. */
export const titleOfRequest = ({ kind, namespace, name }: RetainedRequest): string => `${kind} ${namespace}/${name}`;

/** Describes the requests that are not granted. */
export const troublesOf = (requests: readonly HeldRequest[]): readonly string[] =>
  requests
    .filter(({ object }) => object.status?.phase !== 'Granted')
    .map(({ kind, object: { metadata, status } }) => `${kind} ${metadata.name} is ${status?.phase ?? 'Pending'}`)
    .sort();
