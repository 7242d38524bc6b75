import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, namedByUuid, rowStatus, text, uniqueId } from './common.ts';

/** A secret that services of the tenant may read. Its value is in a Secret of its own, which is encrypted at rest. */
export const serviceSecrets = defineKind({
  ...declared,
  kind: 'ServiceSecret',
  shortNames: ['osec'],
  description: 'A secret that services read through the data proxy.',
  spec: Type.Object({
    name: Type.String({ minLength: 1, description: 'Unique in the tenant and the type.' }),
    type: Type.String({ minLength: 1, description: 'raw.' }),
    expiresAt: text('When it is removed. Default: never.'),
    owner: text('The user name of who set it.'),
  }),
  status: Type.Object({ ...rowStatus }),
  columns: [
    column('Display-Name', '.spec.name'),
    column('Type', '.spec.type'),
    column('Expires', '.spec.expiresAt'),
    ageColumn,
  ],
  rules: [namedByUuid],
  uniqueKeys: [
    uniqueId,
    {
      name: 'name',
      within: 'cluster',
      values: ({ metadata, spec }) => [JSON.stringify([metadata.namespace, spec.type, spec.name])],
    },
  ],
});

export type ServiceSecret = ObjectOf<typeof serviceSecrets>;
