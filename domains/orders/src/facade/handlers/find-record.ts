import type { Clock } from '@chandlery/platform';
import type { Table } from '@chandlery/registry';
import { recordNotFound } from '../../errors.ts';
import { readAtTime } from '../../model/lists/at-time.ts';
import { parseUrn, type UrnKind } from '../../model/urns.ts';
import { type HistoricalTable, type OrdersRegistry, recordAt, type Version } from '../../registry/orders-registry.ts';
import { type Call, isInScope } from './call.ts';

/** Finds the record whose URN is in the path. Throws `not-found`, also for what is another tenant's. */
export function findRecord<R extends { readonly tenant: string }>(
  { params, scope }: Pick<Call, 'params' | 'scope'>,
  kind: UrnKind,
  table: Pick<Table<R>, 'get'>,
): R {
  const { id = '' } = params;
  const uuid = parseUrn(kind, id);
  const row = uuid === undefined ? undefined : table.get(uuid);
  if (row === undefined || !isInScope(scope, row.tenant)) throw recordNotFound(id);
  return row;
}

/** What reading the past needs. */
export interface HistoryDeps {
  readonly registry: OrdersRegistry;
  readonly clock: Clock;
  readonly settings: { readonly historyRetentionMs: number };
}

/** Finds the record whose URN is in the path as it is, or as it was `at-time`. Throws `not-found`. */
export function findVersion<Name extends HistoricalTable>(
  call: Call,
  { kind, table }: { readonly kind: UrnKind; readonly table: Name },
  { registry, clock, settings }: HistoryDeps,
): Version<Name> {
  const frame = { now: clock.now(), retentionMs: settings.historyRetentionMs };
  const time = readAtTime(call.query.get('at-time'), frame) ?? registry.now();
  const { id = '' } = call.params;
  const uuid = parseUrn(kind, id);
  const version = uuid === undefined ? undefined : recordAt(registry, { table, id: uuid, time });
  if (version === undefined || !isInScope(call.scope, version.tenant)) throw recordNotFound(id);
  return version;
}
