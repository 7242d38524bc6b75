import { failuresInARow, readWish, type Wish, type WishFacts } from '../../model/engine/adoption.ts';
import type { enginePaths } from '../../model/engine/operation-state.ts';
import { lastOperationOf } from '../../registry/last-operation.ts';
import type { BindingRow, InstanceRow } from '../../registry/registry.ts';
import type { AdoptionNeeds } from './adoption-needs.ts';

/** What is known of a row that may have a wish. */
export function factsOf(
  { registry, clock, settings }: AdoptionNeeds,
  path: (typeof enginePaths)['instances' | 'bindings'],
  row: InstanceRow | BindingRow,
): WishFacts {
  return {
    row,
    last: lastOperationOf(registry, path, row.id),
    failures: failuresInARow(registry.operations.by('resourceId', row.id)),
    nowMs: clock.now().getTime(),
    settings,
  };
}

/** What a row wishes. */
export const wishOf = (
  needs: AdoptionNeeds,
  path: (typeof enginePaths)['instances' | 'bindings'],
  row: InstanceRow | BindingRow,
): Wish => readWish(factsOf(needs, path, row));
