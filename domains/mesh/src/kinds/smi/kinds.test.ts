import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isError, type KubeObject } from '@chandlery/api';
import { startTestPlane, type TestPlane } from '@chandlery/testing';
import { type Mesh, meshes } from '../mesh.ts';
import { smiKinds } from './index.ts';

describe('SMI kinds on a kernel', () => {
  let plane: TestPlane;
  before(async () => {
    plane = await startTestPlane({ kinds: [...smiKinds, meshes.declaration] });
  });
  after(() => plane[Symbol.asyncDispose]());

  const at = (group: string, version: string, plural: string, name = '') => ({
    group: `${group}.smi-spec.io`,
    version,
    plural,
    namespace: 'default',
    name,
  });

  test('a split written in v1alpha1 is read in every version', async () => {
    const spec = {
      service: 'web',
      backends: [
        { service: 'a', weight: '500m' },
        { service: 'b', weight: 1 },
      ],
    };
    const object = { apiVersion: 'split.smi-spec.io/v1alpha1', kind: 'TrafficSplit', metadata: { name: 's' }, spec };
    assert.deepEqual((await plane.client.create(at('split', 'v1alpha1', 'trafficsplits'), object))['spec'], spec);
    for (const version of ['v1alpha2', 'v1alpha3', 'v1alpha4']) {
      const read = await plane.client.get(at('split', version, 'trafficsplits', 's'));
      const { backends } = read['spec'] as { backends: { weight: number }[] };
      assert.deepEqual(
        [read.apiVersion, backends.map(({ weight }) => weight)],
        [`split.smi-spec.io/${version}`, [500, 1000]],
      );
    }
    const twin = { ...object, metadata: { name: 'twin' } };
    await assert.rejects(plane.client.create(at('split', 'v1alpha1', 'trafficsplits'), twin), error =>
      isError(error, 'Conflict'),
    );
  });

  test('the port of an old target survives, and a write in the newest version', async () => {
    const subject = { kind: 'ServiceAccount', name: 'api', namespace: 'default' };
    const object = {
      apiVersion: 'access.smi-spec.io/v1alpha1',
      kind: 'TrafficTarget',
      metadata: { name: 't' },
      destination: { ...subject, port: 8080 },
      specs: [{ kind: 'HTTPRouteGroup', name: 'g' }],
      sources: [subject],
    };
    await plane.client.create(at('access', 'v1alpha1', 'traffictargets'), object);
    const newest = await plane.client.patch(at('access', 'v1alpha3', 'traffictargets', 't'), {
      type: 'merge',
      body: { spec: { rules: [] } },
    });
    assert.deepEqual(newest['spec'], { destination: object.destination, rules: [], sources: [subject] });
    const oldest = await plane.client.get(at('access', 'v1alpha1', 'traffictargets', 't'));
    assert.deepEqual([oldest['destination'], oldest['specs'], oldest['spec']], [object.destination, [], undefined]);
  });

  const refused: readonly { why: string; group: string; version: string; kind: string; body: object; says: RegExp }[] =
    [
      {
        why: 'a fraction of a weight',
        group: 'split',
        version: 'v1alpha2',
        kind: 'TrafficSplit',
        body: { spec: { service: 'x', backends: [{ service: 'a', weight: 0.5 }] } },
        says: /weight/,
      },
      {
        why: 'an unknown method',
        group: 'specs',
        version: 'v1alpha4',
        kind: 'HTTPRouteGroup',
        body: { spec: { matches: [{ name: 'm', methods: ['FETCH'] }] } },
        says: /methods/,
      },
      {
        why: 'an unknown kind of rule',
        group: 'access',
        version: 'v1alpha3',
        kind: 'TrafficTarget',
        body: {
          spec: {
            destination: { kind: 'ServiceAccount', name: 'a' },
            sources: [],
            rules: [{ kind: 'Ingress', name: 'x' }],
          },
        },
        says: /rules/,
      },
      {
        why: 'a port out of range',
        group: 'specs',
        version: 'v1alpha4',
        kind: 'TCPRoute',
        body: { spec: { matches: { ports: [0] } } },
        says: /ports/,
      },
    ]; // prettier-ignore
  for (const { why, group, version, kind, body, says } of refused) {
    test(`the schema rejects ${why}`, async () => {
      const object: KubeObject = {
        apiVersion: `${group}.smi-spec.io/${version}`,
        kind,
        metadata: { name: 'bad' },
        ...body,
      };
      await assert.rejects(
        plane.client.create(at(group, version, `${kind.toLowerCase()}s`), object),
        error => isError(error, 'Invalid') && says.test(error.message),
      );
    });
  }

  test('routes of old versions need no spec, and ports survive them', async () => {
    for (const version of ['v1alpha1', 'v1alpha2', 'v1alpha3', 'v1alpha4']) {
      const object = { apiVersion: `specs.smi-spec.io/${version}`, kind: 'TCPRoute', metadata: { name: version } };
      await plane.client.create(at('specs', version, 'tcproutes'), object);
    }
    const newest = at('specs', 'v1alpha4', 'tcproutes', 'v1alpha4');
    await plane.client.patch(newest, { type: 'merge', body: { spec: { matches: { ports: [80] } } } });
    const labels = { type: 'merge', body: { metadata: { labels: { a: 'b' } } } } as const;
    await plane.client.patch(at('specs', 'v1alpha2', 'tcproutes', 'v1alpha4'), labels);
    const read = await plane.client.get(newest);
    assert.deepEqual([read['spec'], read.metadata.annotations], [{ matches: { ports: [80] } }, undefined]);
  });

  test('a mesh has clusters of its own, and only those', async () => {
    const platform = plane.connect('platform');
    const mesh = (name: string, spec: Mesh['spec']) => platform.create(meshes.ref, meshes.object({ name }, spec));
    const { spec } = await mesh('acme', { clusters: [{ name: 'eu-1', region: 'eu' }, { name: 'us-1' }] });
    assert.deepEqual(spec.isPermissive, false);
    await assert.rejects(mesh('other', { clusters: [{ name: 'us-1' }] }), error => isError(error, 'Conflict'));
    await assert.rejects(mesh('none', { clusters: [] }), error => isError(error, 'Invalid'));
    await assert.rejects(
      mesh('astray', { clusters: [{ name: 'ap-1' }], topologyCluster: 'eu-1' }),
      error => isError(error, 'Invalid') && /topologyCluster/.test(error.message),
    );
    await assert.rejects(plane.client.list(meshes.ref), error => isError(error, 'NotFound'));
  });
});
