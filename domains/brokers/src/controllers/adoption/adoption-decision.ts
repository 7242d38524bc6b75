import {
  type AdoptionDecision,
  type AdoptionFacts,
  decideAdoption,
  failuresInARow,
} from '../../model/operations/adoption.ts';
import { lastOperationOf } from '../../model/operations/last-operation.ts';
import type { enginePaths } from '../../model/operations/operation-state.ts';
import type { BindingRow, InstanceRow } from '../../model/rows.ts';
import type { AdoptionDeps } from './adoption-deps.ts';

/** Collects the facts that decide what a row needs. */
export function factsOf(
  { registry, clock, settings }: AdoptionDeps,
  path: (typeof enginePaths)['instances' | 'bindings'],
  row: InstanceRow | BindingRow,
): AdoptionFacts {
  return {
    row,
    last: lastOperationOf(registry, path, row.id),
    failures: failuresInARow(registry.operations.by('resourceId', row.id)),
    nowMs: clock.now().getTime(),
    settings,
  };
}

/** Decides what an instance or binding needs now. */
export const adoptionDecision = (
  deps: AdoptionDeps,
  path: (typeof enginePaths)['instances' | 'bindings'],
  row: InstanceRow | BindingRow,
): AdoptionDecision => decideAdoption(factsOf(deps, path, row));
