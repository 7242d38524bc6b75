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

/** Whoever compares generations must not take a change that is made here for a wish; one that is not seen yet stays one. */
function observedAfter({ generation, status, spec: before }: InstanceRow | BindingRow, spec: object) {
  const isSeen = status.observedGeneration === generation;
  return isSeen && !isSameJson(before, spec) ? { observedGeneration: generation + 1 } : {};
}
