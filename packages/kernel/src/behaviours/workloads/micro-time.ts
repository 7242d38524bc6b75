/** RFC 3339, any number of digits behind the second, UTC or an offset. */
const pattern = /^(\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * The same moment with just six digits behind the second. Go clients cannot read a MicroTime with more or fewer, and
 * one that a client of another language wrote would stop their leader election.
 */
export function toMicroTime(text: string): string {
  const [, seconds, fraction = '', zone] = pattern.exec(text) ?? [];
  if (seconds === undefined || zone === undefined) return text;
  return `${seconds.toUpperCase()}.${fraction.slice(0, 6).padEnd(6, '0')}${zone.toUpperCase()}`;
}

/** Rewrites fields of an object in place; what is missing stays missing. */
export function alignMicroTimes(holder: unknown, fields: readonly string[]): void {
  if (typeof holder !== 'object' || holder === null) return;
  const record = holder as Record<string, unknown>;
  for (const field of fields) {
    const value = record[field];
    if (typeof value === 'string') record[field] = toMicroTime(value);
  }
}
