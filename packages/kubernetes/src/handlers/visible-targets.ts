import { isError } from '@chandlery/api';
import type { CompiledKind, ObjectKey, ServedKind, Target } from '@chandlery/kernel';
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
  const targets = new TargetsByPlace(call);
  const kinds = (await filledKinds(call)).filter(({ kind }) => namespace === '' || kind.isNamespaced);
  const found = await Promise.all(kinds.map(served => targets.of(served, namespace)));
  return found.filter(target => target !== undefined);
}

/**
 * What a read of objects of any kind gives; undefined when one of them cannot be read because it is damaged, or encrypted
 * with a key that is not there: all others are found all the same.
 */
export async function unlessDamaged<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isError(error, 'StoreDamaged', 'DecryptionFailed', 'UnknownKey')) return undefined;
    throw error;
  }
}

/** The kinds that have objects. */
export async function filledKinds({ kernel, home, kinds }: Call): Promise<readonly ServedKind[]> {
  const filled = new Set((await kernel.store.collections(home)).map(({ resource }) => resource));
  return [...kinds.all()].filter(({ kind }) => isSearched(kind) && filled.has(kind.resource));
}

/** What the caller may list, asked once for each kind and namespace. */
export class TargetsByPlace {
  readonly #call: Call;
  readonly #known = new Map<string, Promise<Target | undefined>>();

  constructor(call: Call) {
    this.#call = call;
  }

  /** The collection, or the namespace, as far as the caller may list it; empty for all namespaces. */
  of(served: ServedKind, namespace: string): Promise<Target | undefined> {
    const id = `${served.kind.resource}|${namespace}`;
    const known = this.#known.get(id) ?? this.#find(served, namespace);
    this.#known.set(id, known);
    return known;
  }

  /** What the caller may list that has an object; undefined when the caller may not list it. */
  async holding(
    served: ServedKind,
    { namespace, name }: Pick<ObjectKey, 'namespace' | 'name'>,
  ): Promise<Target | undefined> {
    const all = await this.of(served, '');
    if (all === undefined) return namespace === '' ? undefined : this.of(served, namespace);
    const parts = all.visibility?.parts;
    const isVisible =
      parts === undefined || parts.some(part => part.namespace === namespace && (part.names?.includes(name) ?? true));
    return isVisible ? all : undefined;
  }

  async #find(served: ServedKind, namespace: string): Promise<Target | undefined> {
    const { view } = this.#call;
    if (namespace !== '' && view !== undefined && !(await view.hasNamespace(namespace))) return undefined;
    return visibleTarget(this.#call, served, namespace);
  }
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
