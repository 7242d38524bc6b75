import { type InstanceRow, type RegistryWrite, updateRow } from '../rows.ts';

/** An instance that its broker says it has spoilt. */
export const trackUnusable = (instance: InstanceRow): RegistryWrite =>
  updateRow({ table: 'instances', row: instance, status: { ...instance.status, usable: false } });
