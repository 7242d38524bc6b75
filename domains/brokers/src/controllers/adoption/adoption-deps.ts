import type { Clock } from '@chandlery/platform';
import type { StatedCondition } from '@chandlery/runtime';
import { areStated, statedConditions } from '../../model/operations/row-conditions.ts';
import type { Registry, RowOf } from '../../model/rows.ts';
import { updateRow } from '../../model/rows.ts';
import type { BrokerSettings } from '../../settings.ts';

/** What the parts of the adoption work with. */
export interface AdoptionDeps {
  readonly registry: Registry;
  readonly settings: BrokerSettings;
  readonly clock: Clock;
}

/** The tables of which objects are made by kubectl and carried out here. */
export type AdoptedTable = 'instances' | 'bindings' | 'platforms';

/** States conditions of a row, if that says anything new. The generation counts as seen. */
export async function state<T extends AdoptedTable>(
  { registry, clock }: AdoptionDeps,
  { table, row }: { readonly table: T; readonly row: RowOf[T] },
  stated: readonly StatedCondition[],
): Promise<void> {
  if (areStated(row, stated) && row.status.observedGeneration === row.generation) return;
  const conditions = statedConditions(row, stated, clock.now());
  const status = { ...row.status, conditions, observedGeneration: row.generation };
  await registry.commit([updateRow<AdoptedTable>({ table, row, status })]);
}
