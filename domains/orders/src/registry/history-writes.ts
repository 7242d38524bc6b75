import { isDeepStrictEqual } from 'node:util';
import type { RegistryWrite } from '@chandlery/registry';
import { createRow, type OrdersRows } from './orders-tables.ts';

/** Tables whose records can be read as they were (`at-time`). Aspects are not among them: they say themselves when they hold. */
export const historicalTables = ['services', 'orders', 'jobs', 'artifacts', 'collections', 'queues'] as const;

export type HistoricalTable = (typeof historicalTables)[number];

type Write = RegistryWrite<OrdersRows>;
type Superseding = Extract<Write, { readonly type: 'update' | 'remove' }>;

/** Where entries get their names and times from. */
export interface HistorySource {
  readonly newId: () => string;
  readonly now: () => string;
}

/** Adds to a commit what it replaces: an entry for each version of a record that is not the present one afterwards. */
export function withHistory(writes: readonly Write[], source: HistorySource): readonly Write[] {
  const entries = writes.filter(isSuperseding).map(write => entryOf(write, source));
  return entries.length === 0 ? writes : [...writes, ...entries];
}

function isSuperseding(write: Write): write is Superseding {
  if (write.type !== 'update' && write.type !== 'remove') return false;
  if (!(historicalTables as readonly string[]).includes(write.table)) return false;
  return write.type === 'remove' || isVisible(write);
}

/** Progress of uploads and counters of queues change all the time; only the record as such has a history. */
function isVisible({ table, row, spec, status }: Extract<Write, { readonly type: 'update' }>): boolean {
  if (spec !== undefined && !isDeepStrictEqual(spec, row.spec)) return true;
  if (table === 'queues') return false;
  if (table === 'artifacts') return status !== undefined && stateOf(status) !== stateOf(row.status);
  return true;
}

const stateOf = (status: object): unknown => (status as { readonly status?: unknown }).status;

function entryOf({ table, row }: Superseding, { newId, now }: HistorySource): Write {
  return createRow({
    table: 'history',
    id: newId(),
    tenant: row.tenant,
    spec: {
      table,
      record: row.id,
      createdAt: row.createdAt,
      validFrom: row.updatedAt,
      validTo: now(),
      snapshot: { spec: row.spec, status: row.status },
    },
  });
}
