import { apiError, badRequest, methodNotAllowed, notFound, notServed } from '@chandlery/api';
import type { ObjectRef, ResourceRef } from '@chandlery/client';
import type { Kernel } from '../kernel.ts';
import type { Endpoint } from '../resources/ownership.ts';
import type { Target } from '../resources/request.ts';
import type { ClientVerb } from './client-rights.ts';

/** What a reference means in a logical cluster. Throws what a server would answer when it serves nothing there. */
export async function findTarget(
  kernel: Kernel,
  cluster: string,
  verb: ClientVerb,
  ref: ResourceRef & Partial<ObjectRef>,
): Promise<Target> {
  const found = await kernel.clusters.find(cluster);
  if (found === undefined) throw notFound({ group: 'core.chandlery.io', resource: 'logicalclusters' }, cluster);
  if (found.view !== undefined)
    throw badRequest(`the logical cluster "${cluster}" is a view; in process, use "${found.view.base}", its base`);
  const target = await kernel.target(cluster, ref);
  if (target === undefined || !isPlaced(target, ref)) throw notServed();
  checkVerb(target, verb, ref.subresource);
  return target;
}

/** The same without waiting; undefined when {@link findTarget} must say more. */
export function peekTarget(
  { clusters, registry }: Kernel,
  cluster: string,
  verb: ClientVerb,
  ref: ResourceRef & Partial<ObjectRef>,
): Target | undefined {
  const resource = registry.peek(cluster)?.resolve(ref.group, ref.version, ref.plural);
  if (resource === undefined || !clusters.isKnownAlive(cluster)) return undefined;
  const target = { cluster, resource, namespace: ref.namespace ?? '', name: ref.name ?? '' };
  if (!isPlaced(target, ref)) return undefined;
  checkVerb(target, verb, ref.subresource);
  return target;
}

/** Namespaced objects are found in their namespace only, collections over all too. */
const isPlaced = ({ resource: { kind }, name }: Target, { namespace }: ResourceRef): boolean =>
  kind.isNamespaced ? namespace !== undefined || name === '' : namespace === undefined;

const genericVerbs: readonly string[] = ['get', 'update', 'patch'];

function checkVerb({ resource: { kind, version }, ...at }: Target, verb: ClientVerb, subresource?: string): void {
  if (subresource === undefined) {
    const isNowhere = verb === 'create' && kind.isNamespaced && at.namespace === '';
    if (isNowhere || !kind.verbs.includes(verb)) throw methodNotAllowed();
    return;
  }
  const { status = false, scale, others = [] } = version.declaration.subresources ?? {};
  const isGeneric = (subresource === 'status' && status) || (subresource === 'scale' && scale !== undefined);
  const verbs = others.find(({ name }) => name === subresource)?.verbs ?? (isGeneric ? genericVerbs : undefined);
  if (verbs === undefined) throw notServed();
  if (!verbs.includes(verb)) throw methodNotAllowed();
}

/** The endpoint that a sub-resource is to the kernel. */
export function endpointOf(subresource = ''): Exclude<Endpoint, 'scale'> {
  if (subresource === '' || subresource === 'status' || subresource === 'finalize') return subresource;
  throw apiError('NotFound', `the sub-resource "${subresource}" is not served in process`);
}
