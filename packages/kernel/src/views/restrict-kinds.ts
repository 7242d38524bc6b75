import { createHash } from 'node:crypto';
import type { KindDeclaration } from '@chandlery/api';
import { ClusterKinds, type ServedKind } from '../registry/cluster-kinds.ts';
import { CompiledKind } from '../registry/compiled-kind.ts';
import { crdResource } from '../registry/kind-registry.ts';
import type { ValidatorCache } from '../schema/index.ts';
import type { ServedSet } from './view-spec.ts';

const namespaceResource = '/namespaces';
const readVerbs = ['get', 'list', 'watch'];

/** Makes the kinds of views from those of their bases: once for each base and set, whichever views serve it. */
export class KindRestrictor {
  readonly #restricted = new WeakMap<ClusterKinds, WeakMap<ServedSet, ClusterKinds>>();
  readonly #readOnly = new WeakMap<CompiledKind, ServedKind>();
  readonly #hashes = new WeakMap<KindDeclaration, string>();
  readonly #validators: ValidatorCache;

  constructor(validators: ValidatorCache) {
    this.#validators = validators;
  }

  restrict(base: ClusterKinds, set: ServedSet): ClusterKinds {
    const sets = this.#restricted.get(base) ?? new WeakMap<ServedSet, ClusterKinds>();
    this.#restricted.set(base, sets);
    const known = sets.get(set);
    if (known !== undefined) return known;
    const made = this.#make(base, set);
    sets.set(set, made);
    return made;
  }

  #make(base: ClusterKinds, { resources }: ServedSet): ClusterKinds {
    const builtIn = new Map<string, ServedKind>();
    const custom = new Map<string, ServedKind>();
    const signature = createHash('sha256').update('view');
    for (const served of base.all()) {
      const { resource } = served.kind;
      const isFramework = resource === namespaceResource || resource === crdResource;
      if (!isFramework && !resources.has(resource)) continue;
      const shown = isFramework ? this.#readOnlyKind(served) : served;
      (served.crd === undefined ? builtIn : custom).set(resource, shown);
      signature.update(this.#hashOf(shown.kind.declaration));
    }
    return new ClusterKinds(builtIn, custom, signature.digest('hex').slice(0, 32));
  }

  /** Namespaces and definitions come from elsewhere: through a view they are only read. */
  #readOnlyKind(served: ServedKind): ServedKind {
    const known = this.#readOnly.get(served.kind);
    if (known !== undefined) return known;
    const { declaration } = served.kind;
    const versions = declaration.versions.map(({ subresources: _, ...version }) => version);
    const kind = new CompiledKind({ ...declaration, versions, verbs: readVerbs }, this.#validators);
    const made = { ...served, kind };
    this.#readOnly.set(served.kind, made);
    return made;
  }

  /** Declarations never change, so each is hashed once. */
  #hashOf(declaration: KindDeclaration): string {
    const known = this.#hashes.get(declaration);
    if (known !== undefined) return known;
    const hash = createHash('sha256').update(JSON.stringify(declaration)).digest('base64');
    this.#hashes.set(declaration, hash);
    return hash;
  }
}
