/** What stands in the index `label` for a key, or for a key with one of its values. */
export function labelTerm(key: string, value?: string): string {
  // Keys may hold any character: without this, `a=b` could be a key, or a key and its value.
  const safeKey = /[%=]/.test(key) ? key.replaceAll('%', '%25').replaceAll('=', '%3D') : key;
  return value === undefined ? safeKey : `${safeKey}=${value}`;
}

/** All terms of some labels. */
export function labelTerms(
  labels: Readonly<Record<string, readonly string[]>> | undefined,
): readonly string[] | undefined {
  if (labels === undefined) return undefined;
  return Object.entries(labels).flatMap(([key, values]) => [
    labelTerm(key),
    ...values.map(value => labelTerm(key, value)),
  ]);
}
