type Fields = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Equal once written as JSON: an undefined field is the same as none. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((value, i) => isSameJson(value, b[i]));
  if (!isMap(a) || !isMap(b)) return false;
  return keysOf(a, b).every(key => isSameJson(a[key], b[key]));
}

/** The merge patch (RFC 7386) that turns `before` into `after`; undefined when they are the same. */
export function mergeDiff(before: Fields, after: Fields): Record<string, unknown> | undefined {
  const changed = keysOf(before, after).filter(key => !isSameJson(before[key], after[key]));
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map(key => [key, fieldDiff(before[key], after[key])]));
}

function fieldDiff(before: unknown, after: unknown): unknown {
  if (after === undefined) return null;
  return isMap(before) && isMap(after) ? mergeDiff(before, after) : after;
}

const keysOf = (a: Fields, b: Fields): string[] => [...new Set([...Object.keys(a), ...Object.keys(b)])];
