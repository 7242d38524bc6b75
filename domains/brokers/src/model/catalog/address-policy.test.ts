import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAddressEntry } from '@chandlery/platform';
import { brokerAddressPolicy } from './address-policy.ts';

const strict = brokerAddressPolicy({ allowedBrokerAddresses: [], allowLoopbackBrokers: false });

const rejected = [
  ['127.0.0.1', 'loopback'],
  ['::1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['10.1.2.3', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.0.1', 'private'],
  ['::ffff:c0a8:1', 'private'],
  ['fd12::1', 'private'],
  ['169.254.169.254', 'metadata'],
  ['::ffff:a9fe:a9fe', 'metadata'],
  ['168.63.129.16', 'metadata'],
  ['fd00:ec2::254', 'metadata'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['100.64.0.1', 'CGNAT'],
  ['100.100.100.200', 'CGNAT'],
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['::', 'unspecified'],
  ['224.0.0.1', 'multicast'],
  ['ff02::1', 'multicast'],
  ['::10.0.0.1', 'translated'],
  ['64:ff9b::a00:1', 'translated'],
  ['2002:a00:1::', 'translated'],
  ['255.255.255.255', 'reserved'],
  ['192.0.0.192', 'reserved'],
  ['not an address', 'not an IP address'],
] as const;

for (const [address, word] of rejected) {
  test(`${address} may not be called`, () =>
    assert.match(strict.refusal('broker.example', address) ?? 'allowed', new RegExp(word)));
}

for (const address of ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])
  test(`${address} may be called`, () => assert.equal(strict.refusal('broker.example', address), undefined));

test('loopback is allowed by itself, and by nothing else', () => {
  const local = brokerAddressPolicy({ allowedBrokerAddresses: [], allowLoopbackBrokers: true });
  assert.equal(local.refusal('localhost', '127.0.0.1'), undefined);
  assert.notEqual(local.refusal('localhost', '10.0.0.1'), undefined);
  assert.notEqual(local.refusal('localhost', '0.0.0.0'), undefined);
});

test('ranges, addresses and names of hosts are allowed, in every form of the address', () => {
  const policy = brokerAddressPolicy({
    allowedBrokerAddresses: ['10.0.0.0/16', 'fd00::/8', '192.168.1.1', 'Pg.Internal'],
    allowLoopbackBrokers: false,
  });
  for (const address of ['10.0.200.1', '::ffff:10.0.200.1', 'fd12::1', '192.168.1.1'])
    assert.equal(policy.refusal('broker.example', address), undefined, address);
  for (const address of ['10.1.0.1', '192.168.1.2', '169.254.169.254'])
    assert.notEqual(policy.refusal('broker.example', address), undefined, address);
  assert.equal(policy.refusal('pg.internal.', '172.16.0.1'), undefined);
  assert.notEqual(policy.refusal('not-pg.internal', '172.16.0.1'), undefined);
});

test('entries are ranges, addresses or names', () => {
  for (const entry of ['10.0.0.0/8', '::1', 'fd00::/8', 'pg', 'pg.internal', 'svc_1.ns.'])
    assert.equal(isAddressEntry(entry), true, entry);
  for (const entry of [
    '',
    '10.0.0.0/33',
    '10.0.0',
    '10.0.0.0/8/8',
    'fe80::1%eth0',
    'https://pg',
    '*.internal',
    '::/129',
  ])
    assert.equal(isAddressEntry(entry), false, entry);
});
