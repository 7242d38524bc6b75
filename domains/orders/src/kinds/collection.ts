import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, namedByUuid, rowStatus, text, uniqueId } from './common.ts';

/** A named group of artifacts, which list it themselves. The name of the object is the UUID of its URN. */
export const collections = defineKind({
  ...declared,
  kind: 'Collection',
  shortNames: ['ocol'],
  description: 'A group of artifacts.',
  spec: Type.Object({
    name: text('Unique in the tenant.'),
    description: text('What it holds.'),
    policy: text('The URN of the policy.'),
  }),
  status: Type.Object({ ...rowStatus }),
  columns: [column('Display-Name', '.spec.name'), ageColumn],
  rules: [namedByUuid],
  uniqueKeys: [
    uniqueId,
    {
      name: 'name',
      within: 'cluster',
      values: ({ metadata, spec }) =>
        spec.name === undefined ? [] : [JSON.stringify([metadata.namespace, spec.name])],
    },
  ],
});

export type Collection = ObjectOf<typeof collections>;
