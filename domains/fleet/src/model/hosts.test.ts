import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseDomainOf, hostOf, readRoutes } from './hosts.ts';

const strayProblem = (router: string): string =>
  `the agent reports router ${router}, which is not in the domain north.example.com of the cluster: correct its cluster_dns, or the router host of its agent`;

const id = 'c8l1q1h9v5pf0b2q3m4g';
const zone = { type: 'embedded', port: 1, domain: 'dinosaurs.example.com' } as const;
const hosts = [
  { why: 'in the zone', name: 'rex', dns: zone, expected: `rex-${id}.dinosaurs.example.com` },
  {
    why: 'with ten characters of the name',
    name: 'tyrannosaurus-rex',
    dns: zone,
    expected: `tyrannosau-${id}.dinosaurs.example.com`,
  },
  {
    why: 'in the domain of the cluster without a zone',
    name: 'rex',
    dns: { type: 'none' } as const,
    expected: `rex-${id}.kas.north.example.com`,
  },
  {
    why: 'digits of the id stay, so that hosts are unique',
    name: 'a1',
    dns: zone,
    expected: `a1-${id}.dinosaurs.example.com`,
  },
];

for (const { why, name, dns, expected } of hosts)
  test(`a host is ${why}`, () =>
    assert.equal(hostOf({ id, name, dns, clusterDns: 'apps.north.example.com' }), expected));

test('a host of a cluster on this machine without a zone is below localhost', () =>
  assert.equal(hostOf({ id, name: 'rex', dns: { type: 'none' }, clusterDns: '127.0.0.1' }), `rex-${id}.localhost`));

test('the base domain of a cluster has no leading apps', () => {
  assert.equal(baseDomainOf('apps.north.example.com'), 'north.example.com');
  assert.equal(baseDomainOf('appsy.example.com'), 'appsy.example.com');
});

const cluster = { host: 'rex.example.com', clusterDns: 'apps.north.example.com' };
const routes = [
  {
    why: 'prefixes',
    reported: [
      { prefix: '', router: 'r.apps.north.example.com' },
      { prefix: 'admin', router: 'north.example.com' },
    ],
    expected: {
      routes: [
        { domain: 'rex.example.com', router: 'r.apps.north.example.com' },
        { domain: 'admin-rex.example.com', router: 'north.example.com' },
      ],
    },
  },
  { why: 'none', reported: [], expected: { routes: [] } },
  {
    why: 'another domain',
    reported: [{ prefix: '', router: 'evil.com' }],
    expected: { problem: strayProblem('evil.com') },
  },
  {
    why: 'a domain that only ends alike',
    reported: [{ prefix: '', router: 'evilnorth.example.com' }],
    expected: { problem: strayProblem('evilnorth.example.com') },
  },
];

for (const { why, reported, expected } of routes)
  test(`routes: ${why}`, () => assert.deepEqual(readRoutes(reported, cluster), expected));

test('a cluster without a domain accepts no router', () => {
  assert.ok('problem' in readRoutes([{ prefix: '', router: 'a.b' }], { host: 'h', clusterDns: '' }));
});
