import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, rowStatus, text } from './common.ts';

/** How long the proxy of a deleted platform may be offline and still learn of the deletion. */
const removedPlatformSeconds = 90 * 24 * 3600;

/**
 * A record of a deleted platform. Its proxy authenticates with the former credentials and receives `PlatformDeleted`,
 * which lets it deregister: an ordinary 401 may have other causes and must never make a proxy remove anything.
 */
export const removedPlatforms = defineKind({
  ...declared,
  kind: 'RemovedPlatform',
  categories: ['brokers'],
  description: 'A record of a deleted platform, by which its proxy learns that the platform was deleted.',
  isSecret: true,
  ttlSeconds: removedPlatformSeconds,
  spec: Type.Object({
    platformId: Type.String(),
    name: text('The name that the platform had.'),
    credentials: Type.Array(
      Type.Object({
        username: Type.String(),
        passwordHash: Type.String({ description: 'SHA-256, in hexadecimal, of the random password.' }),
      }),
      { description: 'The former credentials. They grant nothing.' },
    ),
  }),
  status: Type.Object({ ...rowStatus }),
  columns: [column('Platform', '.spec.platformId'), column('Display-Name', '.spec.name'), ageColumn],
});

export type RemovedPlatform = ObjectOf<typeof removedPlatforms>;
