/** One step of a path. */
export type Selector =
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'wildcard' }
  | { readonly type: 'recursive' }
  /** `.length`. */
  | { readonly type: 'length' }
  | { readonly type: 'union'; readonly members: readonly (string | number | Script)[] }
  | { readonly type: 'range'; readonly bounds: readonly (number | Script | undefined)[] }
  | { readonly type: 'filter'; readonly script: Script }
  /** `[(@.length-1)]`. */
  | { readonly type: 'script'; readonly script: Script };

/** An expression of a filter or script. */
export type Script =
  | { readonly type: 'literal'; readonly value: null | boolean | string | number }
  | { readonly type: 'path'; readonly isRoot: boolean; readonly selectors: readonly Selector[] }
  | { readonly type: 'not'; readonly operand: Script }
  | { readonly type: 'binary'; readonly operator: string; readonly left: Script; readonly right: Script }
  | { readonly type: 'list'; readonly items: readonly Script[] };
