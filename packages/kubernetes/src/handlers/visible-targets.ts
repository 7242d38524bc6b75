import { isError } from '@chandlery/api';
import type { CompiledKind, ServedKind, Target } from '@chandlery/kernel';
import type { Call } from '../call.ts';

/** Kinds that change all the time and are about other objects. */
export const noise: ReadonlySet<string> = new Set([
  '/events',
  'coordination.k8s.io/leases',
  '/endpoints',
  'discovery.k8s.io/endpointslices',
]);

/** The collections with objects that the caller may list, or the parts of them that the caller sees. */
export async function visibleTargets(call: Call, namespace: string): Promise<readonly Target[]> {
  const { kernel, home, kinds, view } = call;
  if (namespace !== '' && view !== undefined && !(await view.hasNamespace(namespace))) return [];
  const filled = new Set((await kernel.store.collections(home)).map(({ resource }) => resource));
  const targets = [...kinds.all()]
    .filter(({ kind }) => isSearched(kind) && filled.has(kind.resource) && (namespace === '' || kind.isNamespaced))
    .map(served => visibleTarget(call, served, namespace));
  return (await Promise.all(targets)).filter(target => target !== undefined);
}

/** Kinds that are stored as another one would be found twice. */
const isSearched = (kind: CompiledKind): boolean =>
  kind.stored === kind && kind.verbs.includes('list') && !noise.has(kind.resource);

async function visibleTarget(call: Call, served: ServedKind, namespace: string): Promise<Target | undefined> {
  const { kernel, home, view, user, access, kinds } = call;
  const { kind } = served;
  const versions = [kind.storageVersion, ...kind.versions.values()];
  const version = versions.find(({ isServed }) => isServed);
  if (version === undefined) return undefined;
  const target = { cluster: home, resource: { ...served, version }, namespace, name: '' };
  const attributes = { verb: 'list', ...kind.groupResource, namespace };
  try {
    if (view === undefined) {
      const visibility = await kernel.authorize({ user, access, cluster: home }, attributes);
      return visibility === undefined ? target : { ...target, visibility };
    }
    if (!(await view.allows(access, user, attributes, kinds))) return undefined;
    const visibility = namespace === '' ? await view.visibility(kind, user, 'list', kinds) : undefined;
    return visibility === undefined ? target : { ...target, visibility };
  } catch (error) {
    if (isError(error, 'Forbidden')) return undefined;
    throw error;
  }
}
