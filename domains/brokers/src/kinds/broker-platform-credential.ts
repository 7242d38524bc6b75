import { defineKind, type KubeObject, type ObjectOf } from '@chandlery/api';
import { type Static, Type } from 'typebox';
import { ageColumn, column, declared, flag, rowStatus } from './common.ts';
import { specOf, uniqueId, uniqueTogether } from './unique-keys.ts';

const pair = Type.Object({ username: Type.String(), passwordHash: Type.String({ description: 'bcrypt.' }) });

/** With what a platform calls one broker through us. Its proxy makes them; only a hash comes here. Stored encrypted. */
export const brokerPlatformCredentials = defineKind({
  ...declared,
  kind: 'BrokerPlatformCredential',
  categories: ['brokers'],
  description: 'With what a platform calls one broker through the service manager.',
  isSecret: true,
  spec: Type.Object({
    platformId: Type.String(),
    brokerId: Type.String(),
    username: Type.String(),
    passwordHash: Type.String({ description: 'bcrypt.' }),
    isActive: flag('Whether the platform has confirmed that it uses them.'),
    old: Type.Optional(pair),
    tried: Type.Optional(
      Type.Array(pair, {
        description: 'Sent after the old and replaced unconfirmed: the platform may have taken them.',
      }),
    ),
  }),
  status: Type.Object({ ...rowStatus }),
  columns: [column('Platform', '.spec.platformId'), column('Broker', '.spec.brokerId'), ageColumn],
  uniqueKeys: [
    uniqueId,
    uniqueTogether('platform_and_broker', 'platformId', 'brokerId'),
    { name: 'username', within: 'cluster', values: usernamesOf },
  ],
});

export type BrokerPlatformCredential = ObjectOf<typeof brokerPlatformCredentials>;

/** All pairs by which the platform may call: those that it has sent last, and those that still hold besides. */
export const acceptedPairs = (spec: BrokerPlatformCredential['spec']): readonly Static<typeof pair>[] => [
  spec,
  ...(spec.old === undefined ? [] : [spec.old]),
  ...(spec.tried ?? []),
];

function usernamesOf(object: KubeObject): string[] {
  const spec = specOf(object) as BrokerPlatformCredential['spec'];
  const names = new Set(acceptedPairs(spec).map(({ username }) => username));
  return [...names].map(name => JSON.stringify([spec.brokerId, name]));
}
