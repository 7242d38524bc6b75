import type { CompiledKind, CompiledVersion } from './compiled-kind.ts';
import { compareVersionPriority } from './kind-of-crd.ts';

/** A kind as one logical cluster serves it. */
export interface ServedKind {
  readonly kind: CompiledKind;
  /** Objects written before this revision may predate the present schema and are brought up to it when read. */
  readonly sinceRevision: number;
  /** The CRD that declares the kind. Undefined for built-in kinds. */
  readonly crd?: DeclaringCrd;
}

export interface DeclaringCrd {
  readonly name: string;
  readonly revision: number;
  readonly isTerminating: boolean;
  /** Undefined when it has none. */
  readonly labels: Readonly<Record<string, string>> | undefined;
}

/** A resource that a request addresses. */
export interface ResolvedResource extends ServedKind {
  readonly version: CompiledVersion;
}

const none: readonly never[] = [];

/** The kinds of one logical cluster: the built-in ones and those that its CRDs declare. Immutable. */
export class ClusterKinds {
  readonly #builtIn: ReadonlyMap<string, ServedKind>;
  readonly #custom: ReadonlyMap<string, ServedKind>;
  /** What was resolved before, by plural: requests name the same few again and again. */
  readonly #resolved = new Map<string, ResolvedResource[]>();
  /** Changes whenever the served kinds change; equal for clusters that serve the same ones. */
  readonly signature: string;

  constructor(builtIn: ReadonlyMap<string, ServedKind>, custom: ReadonlyMap<string, ServedKind>, signature: string) {
    this.#builtIn = builtIn;
    this.#custom = custom;
    this.signature = signature;
  }

  /** By `group/plural`, whatever the version. */
  get(resource: string): ServedKind | undefined {
    return this.#builtIn.get(resource) ?? this.#custom.get(resource);
  }

  resolve(group: string, version: string, plural: string): ResolvedResource | undefined {
    for (const known of this.#resolved.get(plural) ?? none)
      if (known.kind.group === group && known.version.name === version) return known;
    const served = this.get(`${group}/${plural}`);
    const compiled = served?.kind.versions.get(version);
    if (served === undefined || compiled === undefined || !compiled.isServed) return undefined;
    const resolved = { ...served, version: compiled };
    this.#resolved.set(plural, [...(this.#resolved.get(plural) ?? none), resolved]);
    return resolved;
  }

  /** By kind name, as owner references and manifests name it. */
  resolveKind(group: string, version: string, kind: string): ResolvedResource | undefined {
    for (const served of this.all()) {
      if (served.kind.group !== group || served.kind.kind !== kind) continue;
      const compiled = served.kind.versions.get(version);
      if (compiled?.isServed) return { ...served, version: compiled };
    }
    return undefined;
  }

  *all(): Iterable<ServedKind> {
    yield* this.#builtIn.values();
    yield* this.#custom.values();
  }

  /** Groups in order of appearance, the core group first, each with its served versions in order of preference. */
  groups(): ReadonlyMap<string, readonly string[]> {
    const groups = new Map<string, Set<string>>();
    for (const { kind } of this.all()) {
      const versions = groups.get(kind.group) ?? new Set<string>();
      for (const version of kind.versions.values()) if (version.isServed) versions.add(version.name);
      if (versions.size > 0) groups.set(kind.group, versions);
    }
    return new Map([...groups].map(([group, versions]) => [group, [...versions].sort(compareVersionPriority)]));
  }
}
