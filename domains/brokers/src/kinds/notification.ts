import { anything, defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, rowStatus, text } from './common.ts';

/** How long proxies may be away and still catch up. */
export const notificationSeconds = 12 * 3600;

/** Something about a broker or a visibility that proxies must know. Its revision is its resourceVersion. */
export const notifications = defineKind({
  ...declared,
  kind: 'Notification',
  categories: ['brokers'],
  description: 'Something about a broker or a visibility that the proxies of platforms must know.',
  ttlSeconds: notificationSeconds,
  spec: Type.Object({
    resource: Type.Enum(['/v1/service_brokers', '/v1/visibilities']),
    type: Type.Enum(['CREATED', 'MODIFIED', 'DELETED']),
    resourceId: Type.String(),
    platformIds: Type.Optional(Type.Array(Type.String(), { description: 'Default: every platform.' })),
    payload: anything('The payload that proxies receive.'),
    correlationId: text('Of the request that caused it.'),
  }),
  status: Type.Object({ ...rowStatus }),
  columns: [
    column('Type', '.spec.type'),
    column('Resource', '.spec.resource'),
    column('Id', '.spec.resourceId'),
    ageColumn,
  ],
});

export type Notification = ObjectOf<typeof notifications>;
