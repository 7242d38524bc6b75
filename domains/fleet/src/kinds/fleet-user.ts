import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, rowStatus, text } from './common.ts';

/** A user who came with a valid token of an organisation; ownership can be given to them. */
export const fleetUsers = defineKind({
  ...declared,
  kind: 'FleetUser',
  categories: ['fleet'],
  scope: 'Cluster',
  description: 'A user of an organisation whom the fleet manager has seen.',
  spec: Type.Object({
    organisation: Type.String(),
    username: Type.String(),
    accountId: text('As the token said.'),
  }),
  status: Type.Object({ ...rowStatus }),
  columns: [column('User', '.spec.username'), column('Organisation', '.spec.organisation'), ageColumn],
});

export type FleetUser = ObjectOf<typeof fleetUsers>;
