import type { Flag, Flags } from '../args/flags.ts';
import { usageError } from '../args/usage-error.ts';

/** Heading in the overview of commands. */
export const ordersGroup = 'Services and orders';

/** Flag of all commands of services and orders. */
export const tenantFlag = {
  namespace: {
    type: 'text',
    short: 'n',
    valueName: 'NAME',
    about: 'The tenant: a namespace of the cluster onboarding. Default: that of the token; all for operators.',
  },
} as const satisfies Record<string, Flag>;

/** Flag of lists. */
export const limitFlag = {
  limit: { type: 'text', valueName: 'NUMBER', about: 'How many are listed at most. Default: 50.' },
} as const satisfies Record<string, Flag>;

const defaultLimit = 50;

/** How many records a list may have. */
export function limitOf(flags: Flags): number {
  const text = flags.text('limit');
  if (text === undefined) return defaultLimit;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw usageError('InvalidOption', '--limit must be a whole number from 1');
  return Number(text);
}

/** The first records of a list. */
export async function take<T>(records: AsyncIterable<T>, count: number): Promise<readonly T[]> {
  const taken: T[] = [];
  if (count === 0) return taken;
  for await (const record of records) if (taken.push(record) >= count) break;
  return taken;
}
