import { apiError, isError, notServed } from '@chandlery/api';
import { crdResource } from '../registry/kind-registry.ts';
import { type Check, formatKey, type ObjectKey } from '../store/store.ts';
import type { ResourceDeps, Target } from './request.ts';

const crdKey = ({ cluster, resource: { crd } }: Target): ObjectKey => ({
  cluster,
  resource: crdResource,
  namespace: '',
  name: crd?.name ?? '',
});

/**
 * What must hold for an object of a custom kind to be written: its CRD is still the one by which it was checked. So
 * nothing is stored by a schema that is no longer served, and nothing is left behind by a CRD that goes.
 */
export function checksOfKind(target: Target): Check[] {
  const { crd } = target.resource;
  return crd === undefined ? [] : [{ key: crdKey(target), expect: { type: 'revision', revision: crd.revision } }];
}

/** True when a commit failed because of {@link checksOfKind}. */
export const isKindOutdated = (error: unknown, target: Target): boolean =>
  target.resource.crd !== undefined &&
  isError(error, 'PreconditionFailed') &&
  error.details.name === formatKey(crdKey(target));

/** The same target by the CRD as it is now. */
export async function refreshTarget(deps: ResourceDeps, target: Target): Promise<Target> {
  const { kind, version } = target.resource;
  deps.registry.invalidate(target.cluster);
  const resource = (await deps.registry.of(target.cluster)).resolve(kind.group, version.name, kind.plural);
  if (resource === undefined) throw notServed();
  return { ...target, resource };
}

/** A kind that is going takes no new objects. */
export function rejectWhileKindIsDeleted({ resource: { crd } }: Target): void {
  if (!crd?.isTerminating) return;
  throw apiError('MethodNotAllowed', 'create not allowed while custom resource definition is terminating');
}
