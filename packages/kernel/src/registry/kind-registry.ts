import { createHash } from 'node:crypto';
import type { KindDeclaration } from '@chandlery/api';
import type { SealedCodec } from '../codec/sealed-codec.ts';
import { decodeValue } from '../codec/stored-value.ts';
import type { ValidatorCache } from '../schema/index.ts';
import type { Store, StoredObject } from '../store/store.ts';
import { ClusterKinds, type ServedKind } from './cluster-kinds.ts';
import { CompiledKind } from './compiled-kind.ts';
import { type CustomResourceDefinition, kindOfCrd } from './kind-of-crd.ts';
import { LoadingCache } from './loading-cache.ts';

export const crdResource = 'apiextensions.k8s.io/customresourcedefinitions';

export interface KindRegistryOptions {
  readonly store: Pick<Store, 'list'>;
  readonly codec: SealedCodec;
  readonly builtIn: readonly KindDeclaration[];
  readonly validators: ValidatorCache;
}

interface ReadCrd {
  readonly revision: number;
  /** The same for CRDs with the same spec. */
  readonly identity: string;
  /** Of what it declares. */
  readonly hash: string;
  /** Undefined while it is not established. */
  readonly served?: ServedKind;
}

/**
 * Knows the kinds of every logical cluster. CRDs are compiled once per content, however many clusters hold the same.
 */
export class KindRegistry {
  readonly #options: KindRegistryOptions;
  readonly #builtIn: readonly ServedKind[];
  readonly #builtInByCluster = new Map<string, ReadonlyMap<string, ServedKind>>();
  readonly #clusters: LoadingCache<ClusterKinds>;
  /** The CRDs from which the kinds of a cluster were made, by name. */
  readonly #crdsOf = new WeakMap<ClusterKinds, ReadonlyMap<string, ReadCrd>>();
  readonly #compiled = new Map<string, WeakRef<CompiledKind>>();
  /** Drops the entries of kinds that have been garbage-collected, unless the same was compiled again meanwhile. */
  readonly #unused = new FinalizationRegistry<string>(hash => {
    if (this.#compiled.get(hash)?.deref() === undefined) this.#compiled.delete(hash);
  });

  constructor(options: KindRegistryOptions) {
    this.#options = options;
    this.#builtIn = compileBuiltIn(options.builtIn, options.validators).map(kind => ({ kind, sinceRevision: 0 }));
    this.#clusters = new LoadingCache((cluster, stale) => this.#load(cluster, stale));
  }

  of(cluster: string): Promise<ClusterKinds> {
    return this.#clusters.get(cluster);
  }

  /** The kinds of a cluster without waiting; undefined when {@link of} must be asked. */
  peek(cluster: string): ClusterKinds | undefined {
    return this.#clusters.peek(cluster);
  }

  /** To be called when a CRD of the cluster has changed. */
  invalidate(cluster: string): void {
    this.#clusters.invalidate(cluster);
  }

  /** To be called when a logical cluster has been deleted. */
  forgetCluster(cluster: string): void {
    this.#clusters.deleteWhere(key => key === cluster);
  }

  /** To be called when changes may have been missed. */
  clear(): void {
    this.#clusters.clear();
  }

  /** The compiled-in kinds whose names no CRD of a logical cluster may have, whichever clusters serve them. */
  *builtInKinds(cluster: string): Iterable<CompiledKind> {
    for (const { kind } of this.#builtIn) if (isReserved(kind, cluster)) yield kind;
  }

  /** Whether `group/plural` is a compiled-in kind that no CRD of the logical cluster may declare: none owns its rows. */
  isBuiltIn(resource: string, cluster: string): boolean {
    return this.#builtIn.some(({ kind }) => kind.resource === resource && isReserved(kind, cluster));
  }

  /** A built-in kind that is certain to exist. */
  builtIn(resource: string): CompiledKind {
    const found = this.#builtIn.find(({ kind }) => kind.resource === resource);
    if (found === undefined) throw new TypeError(`no built-in kind is stored as ${resource}`);
    return found.kind;
  }

  /** Compiles a declaration, sharing the result with every equal one. */
  compile(declaration: KindDeclaration): CompiledKind {
    return this.#compileAs(hashOf(declaration), declaration);
  }

  #compileAs(hash: string, declaration: KindDeclaration): CompiledKind {
    const known = this.#compiled.get(hash)?.deref();
    if (known !== undefined) return known;
    const kind = new CompiledKind(declaration, this.#options.validators);
    this.#compiled.set(hash, new WeakRef(kind));
    this.#unused.register(kind, hash);
    return kind;
  }

  async #load(cluster: string, stale: ClusterKinds | undefined): Promise<ClusterKinds> {
    const page = await this.#options.store.list({ cluster, resource: crdResource });
    const known = stale && this.#crdsOf.get(stale);
    const crds = new Map(
      page.items.map(stored => [stored.key.name, this.#readCrd(stored, known?.get(stored.key.name))]),
    );
    const { kinds, kindOfCluster } = this.#servedIn(cluster);
    const custom = new Map<string, ServedKind>();
    const signature = createHash('sha256').update(kindOfCluster);
    for (const { served, hash } of crds.values()) {
      if (served === undefined || this.isBuiltIn(served.kind.resource, cluster)) continue;
      custom.set(served.kind.resource, served);
      signature.update(hash);
    }
    const loaded = new ClusterKinds(kinds, custom, signature.digest('hex').slice(0, 32));
    this.#crdsOf.set(loaded, crds);
    return loaded;
  }

  /** A CRD that has not changed is not parsed again, which matters when hundreds are installed one by one. */
  #readCrd(stored: StoredObject, known: ReadCrd | undefined): ReadCrd {
    const { key, revision } = stored;
    if (known?.revision === revision) return known;
    const crd = decodeValue(this.#options.codec.open(key, stored.value), revision) as CustomResourceDefinition;
    const { uid, generation, deletionTimestamp, labels } = crd.metadata;
    const identity = `${uid} ${generation}`;
    if (!isEstablished(crd)) return { revision, identity, hash: '' };
    const declaration = kindOfCrd(crd);
    const hash = hashOf(declaration);
    const isSame = known?.identity === identity && known.served !== undefined;
    const served: ServedKind = {
      kind: this.#compileAs(hash, declaration),
      // Only a change of the spec can make stored objects look outdated.
      sinceRevision: isSame ? known.served.sinceRevision : revision,
      crd: { name: key.name, revision, isTerminating: deletionTimestamp !== undefined, labels },
    };
    return { revision, identity, hash, served };
  }

  /** The built-in kinds of a cluster; clusters without kinds of their own share one map. */
  #servedIn(cluster: string): { kinds: ReadonlyMap<string, ServedKind>; kindOfCluster: string } {
    const isSpecial = this.#builtIn.some(({ kind }) => kind.declaration.servedIn?.includes(cluster));
    const kindOfCluster = isSpecial ? cluster : '';
    let kinds = this.#builtInByCluster.get(kindOfCluster);
    if (kinds === undefined) {
      const served = this.#builtIn.filter(({ kind }) => kind.declaration.servedIn?.includes(cluster) ?? true);
      kinds = new Map(served.map(entry => [entry.kind.resource, entry]));
      this.#builtInByCluster.set(kindOfCluster, kinds);
    }
    return { kinds, kindOfCluster };
  }
}

const isReserved = (
  { declaration: { allowsCrdElsewhere = false, servedIn } }: CompiledKind,
  cluster: string,
): boolean => !allowsCrdElsewhere || servedIn === undefined || servedIn.includes(cluster);

const hashOf = (declaration: KindDeclaration): string =>
  createHash('sha256').update(JSON.stringify(declaration)).digest('base64');

/** Views are compiled after the kinds that they show. */
function compileBuiltIn(declarations: readonly KindDeclaration[], validators: ValidatorCache): CompiledKind[] {
  const plain = declarations.filter(({ viewOf }) => viewOf === undefined);
  const kinds = new Map(plain.map(declaration => [declaration, new CompiledKind(declaration, validators)]));
  return declarations.map(declaration => {
    const { viewOf } = declaration;
    const shown = plain.find(({ group, plural }) => group === viewOf?.group && plural === viewOf.plural);
    return (
      kinds.get(declaration) ?? new CompiledKind(declaration, validators, kinds.get(shown ?? missingKind(declaration)))
    );
  });
}

function missingKind({ kind, viewOf }: KindDeclaration): never {
  throw new TypeError(`kind ${kind} shows ${viewOf?.group}/${viewOf?.plural}, which is not declared`);
}

const isEstablished = (crd: CustomResourceDefinition): boolean =>
  crd.status?.conditions?.some(condition => condition.type === 'Established' && condition.status === 'True') ?? false;
