import type { ClusterRequest } from '@chandlery/clusters/kinds';
import type { Identity } from './control-plane-names.ts';
import { isForeign } from './control-plane-objects.ts';

/**
 * The ClusterRequests of a control plane that are deleted next: others before its own. Others are those with its labels
 * and those that its finalizers name.
 */
export function requestsToDelete(
  identity: Identity,
  inFinalizers: readonly string[],
  all: readonly ClusterRequest[],
): readonly ClusterRequest[] {
  const nameOf = ({ metadata }: ClusterRequest): string => metadata.name ?? '';
  const isPrimary = (request: ClusterRequest): boolean => nameOf(request) === identity.name;
  const secondary = all.filter(
    request => !isPrimary(request) && (!isForeign(identity, request) || inFinalizers.includes(nameOf(request))),
  );
  return secondary.length > 0 ? secondary : all.filter(request => isPrimary(request) && !isForeign(identity, request));
}
