import { anything, defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, rowStatus, uniqueId } from './common.ts';

/** A version of a record that is no longer the present one. */
export const historyEntries = defineKind({
  ...declared,
  kind: 'HistoryEntry',
  plural: 'historyentries',
  description: 'What a record was before it was changed or removed. Removed when its retention has ended.',
  spec: Type.Object({
    table: Type.String({ minLength: 1, description: 'The plural of the kind of the record.' }),
    record: Type.String({ minLength: 1, description: 'The name of the record.' }),
    createdAt: Type.String({ description: 'When the record was created.' }),
    validFrom: Type.String({ description: 'When this version was written.' }),
    validTo: Type.String({ description: 'When the next version was written, or the record was removed.' }),
    snapshot: anything('{spec, status} of the record.'),
  }),
  status: Type.Object({ ...rowStatus }),
  columns: [
    column('Kind', '.spec.table'),
    column('Record', '.spec.record'),
    column('Valid-To', '.spec.validTo'),
    ageColumn,
  ],
  uniqueKeys: [uniqueId],
});

export type HistoryEntry = ObjectOf<typeof historyEntries>;
