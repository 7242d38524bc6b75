import type { MetricsQuery } from '../../ports.ts';

/** Returns the PromQL selector of an instance's series. Whatever the filters contain, they only match names. */
export function selectorOf({ namespace, filters = [] }: MetricsQuery): string {
  const ofInstance = `namespace=${quoted(namespace)}`;
  if (filters.length === 0) return `{${ofInstance}}`;
  const names = filters.map(escapeRegExp).join('|');
  return `{__name__=~${quoted(names)},${ofInstance}}`;
}

/** A PromQL string is a Go string; JSON's escapes are a part of Go's. */
const quoted = (text: string): string => JSON.stringify(text);

/** Escapes what means something in Prometheus' regular expressions (RE2), which match whole names. */
const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
