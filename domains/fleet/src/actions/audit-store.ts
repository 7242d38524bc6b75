import { type AuditRow, createRow, type FleetRegistry, updateRow } from '../registry/fleet-registry.ts';

/** Where the audit trail is written, durably. */
export interface AuditStore {
  /** Returns the ids of the entries. */
  create(entries: readonly AuditRow['spec'][]): Promise<readonly string[]>;
  /** Sets the status of an entry. */
  complete(id: string, statusCode: number): Promise<void>;
}

/** Keeps the audit trail in the registry. Ids rise with time. */
export const createAuditStore = (
  registry: Pick<FleetRegistry, 'auditEntries' | 'commit' | 'newFleetId'>,
): AuditStore => ({
  async create(entries) {
    const rows = entries.map(spec => ({ id: registry.newFleetId(), spec }));
    await registry.commit(rows.map(({ id, spec }) => createRow({ table: 'auditEntries', id, tenant: '', spec })));
    return rows.map(({ id }) => id);
  },

  async complete(id, statusCode) {
    const row = registry.auditEntries.get(id);
    if (row === undefined) throw new Error(`there is no entry ${id}`);
    await registry.commit([updateRow({ table: 'auditEntries', row, spec: { ...row.spec, statusCode } })]);
  },
});
