import { type Condition, formatAge } from '@chandlery/api';
import { formatPairs, formatTable } from '../output/table.ts';

/** Names and values, one a line; those without a value are left out. */
export const renderPairs = (pairs: readonly (readonly [name: string, value: string | undefined])[]): string =>
  formatPairs(pairs.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value] as const])));

/** The conditions of an object as a table below its other lines; nothing when it has none. */
export function renderConditions(conditions: readonly Condition[] | undefined, now: Date): string {
  if (conditions === undefined || conditions.length === 0) return '';
  const rows = conditions.map(({ type, status, reason = '', message = '', lastTransitionTime }) => [
    type,
    status,
    formatAge(lastTransitionTime, now),
    reason,
    message,
  ]);
  return `\n${formatTable(['condition', 'status', 'since', 'reason', 'message'], rows)}`;
}
