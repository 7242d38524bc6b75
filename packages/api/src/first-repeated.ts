/** The first of the texts that stands there a second time; undefined when each stands there once. */
export function firstRepeated(texts: Iterable<string>): string | undefined {
  const known = new Set<string>();
  for (const text of texts) {
    if (known.has(text)) return text;
    known.add(text);
  }
  return undefined;
}
