/**
 * Which tags must be resolved: all, none, or those whose first word is listed. The others stay as they are. An expression
 * that cannot be parsed is an error, except where tags are `unchecked`.
 */
export type Strictness = 'all' | 'none' | 'unchecked' | readonly string[];

/** Whether a name must be resolved. */
export const isStrict = (name: string, strictness: Strictness): boolean =>
  strictness === 'all' || (typeof strictness !== 'string' && strictness.includes(name.split('.', 1)[0] ?? ''));
