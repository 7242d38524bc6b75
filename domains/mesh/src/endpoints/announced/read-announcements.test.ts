import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue } from '@chandlery/api';
import { announceKey, readAnnouncements } from './read-announcements.ts';

const identity = {
  trustDomain: 'cluster.local',
  tenant: 'acme',
  cluster: 'blue',
  namespace: 'shop',
  serviceAccount: 'web',
};
const read = (announced: JsonValue) =>
  readAnnouncements({ metadata: { [announceKey]: announced }, identity, locality: { zone: 'eu-a' } });

const bad: readonly (readonly [announced: JsonValue, why: RegExp])[] = [
  ['web', /it is not a list/],
  [{ service: 'web' }, /it is not a list/],
  [['web'], /an entry is not an object/],
  [[{ ip: '10.0.0.1', ports: {} }], /no "service"/],
  [[{ service: 'bank/web', ip: '10.0.0.1', ports: {} }], /no "service"/],
  [[{ service: 'web', ports: {} }], /no "ip"/],
  [[{ service: 'web', ip: '10.0.0.1', ports: [8080] }], /no "ports"/],
  [[{ service: 'web', ip: '10.0.0.1', ports: { http: '8080' } }], /the port "http" of "web" is not a number/],
  [
    [
      {
        service: 'web',
        ip: '10.0.0.1',
        ports: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`p${i}`, i])),
      },
    ],
    /it has 101 endpoints/,
  ],
];

describe('What a node announces', () => {
  it('is empty without the key', () => {
    assert.deepEqual(readAnnouncements({ metadata: {}, identity }), []);
    assert.deepEqual(read(null), []);
  });

  it('is services of its own namespace, at its address and ports', () => {
    assert.deepEqual(read([{ service: 'web', ip: '10.0.0.1', ports: { http: 8080, '': 9090 } }]), [
      {
        service: { namespace: 'shop', name: 'web' },
        identity,
        endpoints: [
          { ip: '10.0.0.1', port: 8080, portName: 'http', zone: 'eu-a' },
          { ip: '10.0.0.1', port: 9090, portName: '', zone: 'eu-a' },
        ],
      },
    ]);
  });

  for (const [announced, why] of bad)
    it(`is rejected: ${why.source}`, () =>
      assert.throws(() => read(announced), { code: 'InvalidEndpoint', message: why }));
});
