import { anything, defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, rowStatus } from './common.ts';

/** What remains of a deleted instance. The name of the object is the instance's id. */
export const fleetInstanceRecords = defineKind({
  ...declared,
  kind: 'FleetInstanceRecord',
  categories: ['fleet'],
  scope: 'Cluster',
  description: 'A deleted instance as it was last. Removed when its retention ends.',
  spec: Type.Object({
    product: Type.String(),
    organisation: Type.String(),
    name: Type.String(),
    owner: Type.String(),
    deletedAt: Type.String(),
    removeAt: Type.String({ description: 'The end of the retention.' }),
    instance: anything('Spec and status as they were last, without holds.'),
  }),
  status: Type.Object({ ...rowStatus }),
  columns: [
    column('Product', '.spec.product'),
    column('Display-Name', '.spec.name'),
    column('Organisation', '.spec.organisation'),
    column('Deleted', '.spec.deletedAt'),
    ageColumn,
  ],
});

export type FleetInstanceRecord = ObjectOf<typeof fleetInstanceRecords>;
