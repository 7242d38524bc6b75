import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, rowStatus, text } from './common.ts';

const retentionSeconds = 90 * 24 * 3600;

/** One call of the admin API, accepted or rejected. */
export const fleetAuditEntries = defineKind({
  ...declared,
  kind: 'FleetAuditEntry',
  plural: 'fleetauditentries',
  categories: ['fleet'],
  scope: 'Cluster',
  description: 'A call of the admin API. Removed after 90 days.',
  spec: Type.Object({
    product: Type.String(),
    username: Type.String(),
    method: Type.String(),
    url: Type.String(),
    body: text('As sent, without secrets, at most 4 KiB.'),
    remoteAddress: Type.String(),
    statusCode: Type.Integer(),
    at: Type.String(),
  }),
  status: Type.Object({ ...rowStatus }),
  columns: [
    column('User', '.spec.username'),
    column('Method', '.spec.method'),
    column('URL', '.spec.url'),
    { name: 'Code', type: 'integer', jsonPath: '.spec.statusCode' },
    ageColumn,
  ],
  ttlSeconds: retentionSeconds,
});

export type FleetAuditEntry = ObjectOf<typeof fleetAuditEntries>;
