import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { created, updated } from './test-writes.ts';

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => `10.0.${Math.floor(index / 250)}.${(index % 250) + 1}`);

interface Row {
  readonly why: string;
  readonly fields: Record<string, unknown>;
  readonly problems?: readonly string[];
}

const addressRule = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const endpoints: readonly Row[] = [
  { why: 'nothing at all', fields: {} },
  { why: 'this machine', fields: { subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: 80 }] }] } },
  {
    why: 'no addresses',
    fields: { subsets: [{ ports: [{ port: 80 }] }] },
    problems: ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`'],
  },
  {
    why: 'a name',
    fields: { subsets: [{ notReadyAddresses: [{ ip: 'here' }] }] },
    problems: [`subsets[0].notReadyAddresses[0].ip: Invalid value: "here": ${addressRule}`],
  },
  {
    why: 'ports that are none',
    fields: { subsets: [{ addresses: [{ ip: '::1' }], ports: [{ port: 0, name: 'a' }, { port: 80 }] }] },
    problems: [
      'subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'subsets[0].ports[1].name: Required value',
    ],
  },
];

const slices: readonly Row[] = [
  { why: 'nothing at all', fields: { addressType: 'IPv4' } },
  {
    why: 'an address',
    fields: { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ port: 80 }] },
  },
  {
    why: 'an address of the other family',
    fields: { addressType: 'IPv4', endpoints: [{ addresses: ['::1'] }] },
    problems: ['endpoints[0].addresses[0]: Invalid value: "::1": must be a valid IPv4 address'],
  },
  { why: 'a newer address', fields: { addressType: 'IPv6', endpoints: [{ addresses: ['::1'] }] } },
  { why: 'a name', fields: { addressType: 'FQDN', endpoints: [{ addresses: ['db.example.com'] }] } },
  {
    why: 'a short name',
    fields: { addressType: 'FQDN', endpoints: [{ addresses: ['db'] }] },
    problems: [
      'endpoints[0].addresses[0]: Invalid value: "db": should be a domain with at least two segments separated by dots',
    ],
  },
  {
    why: 'an endpoint without address',
    fields: { addressType: 'IPv4', endpoints: [{ addresses: [] }] },
    problems: ['endpoints[0].addresses: Required value: must contain at least 1 address'],
  },
  {
    why: 'too many addresses',
    fields: { addressType: 'IPv4', endpoints: [{ addresses: many(101) }] },
    problems: ['endpoints[0].addresses: Too many: 101: must have at most 100 items'],
  },
  {
    why: 'too many endpoints',
    fields: { addressType: 'IPv4', endpoints: many(1001).map(address => ({ addresses: [address] })) },
    problems: ['endpoints: Too many: 1001: must have at most 1000 items'],
  },
  {
    why: 'two ports without names',
    fields: { addressType: 'IPv4', ports: [{ port: 80 }, { port: 81 }] },
    problems: ['ports[1].name: Duplicate value: ""'],
  },
];

for (const [resource, rows] of [
  ['/endpoints', endpoints],
  ['discovery.k8s.io/endpointslices', slices],
] as const) {
  describe(`the rules of ${resource.split('/')[1]}`, () => {
    for (const { why, fields, problems = [] } of rows) {
      test(why, async () => assert.deepEqual((await created(resource, fields)).problems, problems));
    }
  });
}

test('a slice keeps its type of address', async () => {
  const resource = 'discovery.k8s.io/endpointslices';
  const { object: live } = await created<KubeObject>(resource, { addressType: 'IPv4' });
  const { problems } = await updated(resource, live, slice => {
    slice['addressType'] = 'IPv6';
  });
  assert.deepEqual(problems, ['addressType: Invalid value: "IPv6": field is immutable']);
});
