import { OrdersError, recordNotFound } from '../../errors.ts';
import { urnOf } from '../../model/urns.ts';
import type { ArtifactRow, OrdersRegistry } from '../../registry/orders-registry.ts';
import { isUnfinished } from '../../registry/tenant-usage.ts';

/** Returns an artifact. Throws `not-found`. */
export function artifactRow(registry: Pick<OrdersRegistry, 'artifacts'>, id: string): ArtifactRow {
  const row = registry.artifacts.get(id);
  if (row === undefined) throw recordNotFound(urnOf('artifact', id));
  return row;
}

/** Throws `artifact-complete` unless bytes of the artifact are still to come. */
export function checkUnfinished(row: ArtifactRow): void {
  if (isUnfinished(row)) return;
  const id = urnOf('artifact', row.id);
  throw new OrdersError('artifact-complete', `The artifact ${id} is complete and cannot be changed`, { id });
}
