import { isSameJson } from '@chandlery/runtime';
import { type BindingRow, type InstanceRow, type RegistryWrite, updateRow } from '../../../model/rows.ts';

/** Another spec for an instance, without a broker. */
export function updateInstanceHere(row: InstanceRow, spec: InstanceRow['spec']): RegistryWrite {
  return updateRow({ table: 'instances', row, spec, status: { ...row.status, ...observedAfter(row, spec) } });
}

/** Another spec for a binding, without a broker. */
export function updateBindingHere(row: BindingRow, spec: BindingRow['spec']): RegistryWrite {
  return updateRow({ table: 'bindings', row, spec, status: { ...row.status, ...observedAfter(row, spec) } });
}

/**
 * Marks the new generation as observed, so that the adoption controller does not treat the change as a request; a
 * generation that was not observed before stays so.
 */
function observedAfter({ generation, status, spec: before }: InstanceRow | BindingRow, spec: object) {
  const isSeen = status.observedGeneration === generation;
  return isSeen && !isSameJson(before, spec) ? { observedGeneration: generation + 1 } : {};
}
