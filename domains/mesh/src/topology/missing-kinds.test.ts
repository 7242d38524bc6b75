import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { eventually, startTestPlane } from '@chandlery/testing';
import { trafficSplits } from '../kinds/smi/traffic-split.ts';
import { createTopology } from './create-topology.ts';

const crds = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const namespaces = { group: '', version: 'v1', plural: 'namespaces' };

const { group, version, plural } = trafficSplits.ref;
const splitsName = `${plural}.${group}/${version}`;

const splitsCrd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    names: { plural, singular: 'trafficsplit', kind: 'TrafficSplit', listKind: 'TrafficSplitList' },
    scope: 'Namespaced',
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** A topology on a cluster that serves no kind of policies. */
async function start(wrap: (client: Client) => Client = client => client) {
  const stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane({ clusters: ['east'] }));
  const client = plane.connect('east');
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  const warnings: string[] = [];
  const topology = stack.use(
    createTopology({
      topologyClient: wrap(client),
      isPermissive: false,
      logger: { warn: (message: string) => void warnings.push(message) },
    }),
  );
  return { client, topology, warnings, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test('a cluster without the kinds of policies has none of them, until they are installed', async () => {
  await using world = await start();
  const { client, topology, warnings } = world;
  await topology.synced;
  assert.equal(topology.isSynced, true);
  assert.deepEqual(
    topology.missingKinds.map(name => name.split('.')[0]),
    ['httproutegroups', 'tcproutes', 'trafficsplits', 'traffictargets'],
  );
  assert.ok(topology.missingKinds.includes(splitsName));
  assert.equal(warnings.filter(text => text.includes(splitsName)).length, 1, 'said once');
  const web = { namespace: 'shop', name: 'web' };
  assert.equal(topology.splitOf(web), undefined);

  await client.create(crds, splitsCrd);
  const split = {
    apiVersion: `${group}/${version}`,
    kind: 'TrafficSplit',
    metadata: { name: 'web' },
    spec: { service: 'web', backends: [{ service: 'web-v1', weight: 1 }] },
  };
  const told: string[] = [];
  topology.subscribe(change => told.push(...change.services));
  await eventually(() => client.create({ ...trafficSplits.ref, namespace: 'shop' }, split), { what: 'the kind' });
  await eventually(() => told.includes('shop/web') || undefined, { what: 'news of the split', timeoutMs: 20_000 });
  assert.equal(topology.splitOf(web)?.backends.length, 1);
  assert.equal(topology.missingKinds.includes(splitsName), false);
  assert.equal(topology.missingKinds.length, 3);
});

test('a cluster that cannot be read at all is not one without policies', async () => {
  const refuse = (): never => {
    throw new ChandleryError('Forbidden', 'not you');
  };
  await using world = await start(client => ({ ...client, list: refuse, watch: refuse }));
  const { topology, warnings } = world;
  await eventually(() => warnings.filter(text => text.includes('not you')).length > 12 || undefined);
  assert.deepEqual([topology.isSynced, topology.missingKinds], [false, []]);
});
