import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, labelsSchema, rowStatus, text } from './common.ts';
import { uniqueId, uniqueTogether } from './unique-keys.ts';

/** A plan may be used on a platform, or on every platform. */
export const visibilities = defineKind({
  ...declared,
  kind: 'Visibility',
  plural: 'visibilities',
  shortNames: ['vis'],
  categories: ['brokers'],
  description: 'Says that a plan may be used on a platform, or on every platform.',
  spec: Type.Object({
    planId: Type.String({ minLength: 1 }),
    platformId: text('Default: every platform.'),
    labels: labelsSchema,
  }),
  status: Type.Object({ ...rowStatus }),
  columns: [column('Plan', '.spec.planId'), column('Platform', '.spec.platformId'), ageColumn],
  selectableFields: ['.spec.planId', '.spec.platformId'],
  uniqueKeys: [uniqueId, uniqueTogether('platform_and_plan', 'platformId', 'planId')],
});

export type Visibility = ObjectOf<typeof visibilities>;
