import { badRequest, methodNotAllowed, notFound, notServed } from '@chandlery/api';
import type { ObjectRef, ResourceRef } from '@chandlery/client';
import { fitsScope, subresourceVerbs } from '../calls/request-rules.ts';
import type { Verb } from '../calls/resource-attributes.ts';
import type { Kernel } from '../kernel.ts';
import type { Target } from '../resources/request.ts';

/** Resolves a reference in a logical cluster. Throws the error that a server would return when it serves nothing there. */
export async function findTarget(
  kernel: Kernel,
  cluster: string,
  verb: Verb,
  ref: ResourceRef & Partial<ObjectRef>,
): Promise<Target> {
  const found = await kernel.clusters.find(cluster);
  if (found === undefined) throw notFound({ group: 'core.chandlery.io', resource: 'logicalclusters' }, cluster);
  if (found.view !== undefined)
    throw badRequest(`the logical cluster "${cluster}" is a view; in process, use "${found.view.base}", its base`);
  const target = await kernel.target(cluster, ref);
  if (target === undefined || !fitsScope(target.resource.kind, ref)) throw notServed();
  checkVerb(target, verb, ref.subresource);
  return target;
}

/** Resolves a reference from memory; undefined when only {@link findTarget} can resolve or reject it. */
export function peekTarget(
  { clusters, registry }: Kernel,
  cluster: string,
  verb: Verb,
  ref: ResourceRef & Partial<ObjectRef>,
): Target | undefined {
  const resource = registry.peek(cluster)?.resolve(ref.group, ref.version, ref.plural);
  if (resource === undefined || !clusters.isKnownAlive(cluster)) return undefined;
  const target = { cluster, resource, namespace: ref.namespace ?? '', name: ref.name ?? '' };
  if (!fitsScope(target.resource.kind, ref)) return undefined;
  checkVerb(target, verb, ref.subresource);
  return target;
}

function checkVerb({ resource: { kind, version }, ...at }: Target, verb: Verb, subresource?: string): void {
  if (subresource === undefined) {
    const isNowhere = verb === 'create' && kind.isNamespaced && at.namespace === '';
    if (isNowhere || !kind.verbs.includes(verb)) throw methodNotAllowed();
    return;
  }
  const verbs = subresourceVerbs(version, subresource);
  if (verbs === undefined) throw notServed();
  if (!verbs.includes(verb)) throw methodNotAllowed();
}
