import type { Artifact } from '../document/parameters.ts';

/** A value of a scope: text, an artifact, or null for an output of a node that was skipped and has no default. */
export type ScopeValue = string | null | Artifact;

/** What tags and expressions can refer to, by the whole key: `inputs.parameters.message`. */
export interface Scope {
  readonly get: (key: string) => ScopeValue | undefined;
  /** All keys equal to or below a prefix: of `tasks.a`, also `tasks.a.status`. */
  readonly keysUnder: (prefix: string) => Iterable<string>;
  /** The time for expressions that ask for it, in milliseconds since the epoch. Default: they fail. */
  readonly time?: () => number | undefined;
}

/** A scope whose values are all known. */
export function mapScope(values: ReadonlyMap<string, ScopeValue>): Scope {
  return {
    get: key => values.get(key),
    keysUnder: prefix => [...values.keys()].filter(key => isUnder(key, prefix)),
  };
}

/** Several scopes as one; the first that has a key wins. */
export function layerScopes(...scopes: readonly Scope[]): Scope {
  return {
    get: key => {
      for (const scope of scopes) {
        const value = scope.get(key);
        if (value !== undefined) return value;
      }
      return undefined;
    },
    keysUnder: prefix => new Set(scopes.flatMap(scope => [...scope.keysUnder(prefix)])),
    time: () => scopes.find(scope => scope.time !== undefined)?.time?.(),
  };
}

export const isUnder = (key: string, prefix: string): boolean =>
  key === prefix || (key.startsWith(prefix) && key.charCodeAt(prefix.length) === 0x2e);
