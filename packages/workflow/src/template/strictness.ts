/** Which tags must be resolved: all, none, or those whose first word is listed. The others stay as they are. */
export type Strictness = 'all' | 'none' | readonly string[];

/** Whether a name must be resolved. */
export const isStrict = (name: string, strictness: Strictness): boolean =>
  strictness === 'all' || (strictness !== 'none' && strictness.includes(name.split('.', 1)[0] ?? ''));
