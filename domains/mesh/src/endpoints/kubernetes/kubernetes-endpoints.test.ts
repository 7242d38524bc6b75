import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { eventually, startTestPlane, type TestPlane } from '@chandlery/testing';
import type { ServiceName } from '../../model/service-name.ts';
import { endpointsProviderContract, type ProviderUnderTest } from '../endpoints-provider-contract.ts';
import { CutLink, quickTuning } from '../test-cut-link.ts';
import { createKubernetesEndpoints, type KubernetesEndpointsOptions } from './kubernetes-endpoints.ts';
import { type SliceShape, TestCluster } from './test-cluster.ts';

let plane: TestPlane;
let clusters = 0;
before(async () => {
  plane = await startTestPlane();
});
after(() => plane[Symbol.asyncDispose]());

const nextCluster = async (): Promise<TestCluster> => new TestCluster(await plane.createCluster(`k${++clusters}`));

async function setUp({ isCut = false } = {}): Promise<ProviderUnderTest> {
  const cluster = await nextCluster();
  const link = new CutLink(cluster.client, isCut);
  const provider = createKubernetesEndpoints({ client: link.client, cluster: 'blue', tuning: quickTuning });
  return {
    provider,
    link,
    put: (service, endpoints) => cluster.putService(service, endpoints),
    touch: service => cluster.touch(service),
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

endpointsProviderContract('Kubernetes', setUp, {
  hasHealth: true,
  hasZones: true,
  hasNamedPorts: true,
  isRemote: true,
});

const web: ServiceName = { namespace: 'default', name: 'web' };
const pod = (name: string, serviceAccountName: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { serviceAccountName, containers: [{ name: 'main', image: 'main' }] },
});
const podsRef = { group: '', version: 'v1', plural: 'pods', namespace: 'default' };

async function start(slices: readonly SliceShape[], options: Partial<KubernetesEndpointsOptions> = {}) {
  const cluster = await nextCluster();
  for (const slice of slices) await cluster.putSlice(slice);
  const { client } = cluster;
  const provider = createKubernetesEndpoints({
    client,
    cluster: 'blue',
    region: 'eu',
    tuning: quickTuning,
    ...options,
  });
  await provider.synced;
  return {
    cluster,
    client,
    provider,
    endpoints: () => provider.listEndpointsForService(web),
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

const http = [{ name: 'http', port: 8080 }];

describe('Endpoints from slices', () => {
  it('are merged over slices; the healthiest state applies', async () => {
    await using test = await start([
      {
        name: 'web-1',
        service: 'web',
        ports: http,
        endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: false } }],
      },
      { name: 'web-2', service: 'web', ports: http, endpoints: [{ addresses: ['10.0.0.1'] }] },
    ]);
    assert.deepEqual(test.endpoints(), [
      { ip: '10.0.0.1', port: 8080, portName: 'http', health: 'healthy', cluster: 'blue', region: 'eu' },
    ]);
    await test.cluster.removeSlice('web-2');
    await eventually(() => test.endpoints()[0]?.health === 'unhealthy');
  });

  it('have all ports of TCP', async () => {
    const ports = [...http, { name: 'admin', port: 9090 }, { name: 'dns', port: 53, protocol: 'UDP' }];
    await using test = await start([
      { name: 'web-1', service: 'web', ports, endpoints: [{ addresses: ['10.0.0.1'] }] },
    ]);
    assert.deepEqual(
      test.endpoints().map(({ portName, port }) => [portName, port]),
      [
        ['http', 8080],
        ['admin', 9090],
      ],
    );
  });

  it('leave out host names, with a reason', async () => {
    await using test = await start([
      { name: 'web-1', service: 'web', addressType: 'FQDN', ports: http, endpoints: [{ addresses: ['web.test'] }] },
    ]);
    assert.deepEqual(test.endpoints(), []);
    assert.deepEqual([...test.provider.ignored], [['default/web-1', 'its addresses are host names']]);
    await test.cluster.removeSlice('web-1');
    await eventually(() => test.provider.ignored.size === 0);
  });

  it('belong to no service without the label', async () => {
    await using test = await start([{ name: 'web-1', ports: http, endpoints: [{ addresses: ['10.0.0.1'] }] }]);
    assert.deepEqual([...test.provider.listServices()], []);
  });

  it('move when their slice is given to another service', async () => {
    const slice = { name: 'web-1', service: 'web', ports: http, endpoints: [{ addresses: ['10.0.0.1'] }] };
    await using test = await start([slice]);
    await test.cluster.putSlice({ ...slice, service: 'api' });
    await eventually(() => [...test.provider.listServices()].join() === 'default/api');
    assert.deepEqual(test.endpoints(), []);
  });
});

describe('Endpoints behind pods', () => {
  const sliceOf = (name: string, uid: string): SliceShape => ({
    name: 'web-1',
    service: 'web',
    ports: http,
    endpoints: [{ addresses: ['10.0.0.1'], targetRef: { kind: 'Pod', name, namespace: 'default', uid } }],
  });

  it('have the service account of their pod, cached or added later', async () => {
    await using test = await start([]);
    const first = await test.client.create(podsRef, pod('web-1', 'shopkeeper'));
    await test.cluster.putSlice(sliceOf('web-1', first.metadata.uid ?? ''));
    await eventually(() => test.endpoints()[0]?.serviceAccount === 'shopkeeper');
    assert.equal(test.endpoints()[0]?.source, 'pod web-1');
  });

  it('have no account until the pod that is meant is seen', async () => {
    await using test = await start([sliceOf('web-1', 'not-yet-known')]);
    await test.client.create(podsRef, pod('web-1', 'impostor'));
    const second = await test.client.create(podsRef, pod('web-2', 'shopkeeper'));
    const seen = { kind: 'Pod', name: 'web-2', namespace: 'default', uid: second.metadata.uid };
    await test.cluster.putSlice({
      name: 'web-2',
      service: 'web',
      ports: http,
      endpoints: [{ addresses: ['10.0.0.2'], targetRef: seen }],
    });
    await eventually(() => test.endpoints().length === 2);
    assert.deepEqual(
      test.endpoints().map(({ serviceAccount }) => serviceAccount),
      [undefined, 'shopkeeper'],
    );
  });

  it('get their account when the pod appears after the slice', async () => {
    await using test = await start([sliceOf('web-1', '')]);
    assert.equal(test.endpoints()[0]?.serviceAccount, undefined);
    await test.client.create(podsRef, pod('web-1', 'shopkeeper'));
    await eventually(() => test.endpoints()[0]?.serviceAccount === 'shopkeeper');
  });
});

describe('Zones of nodes', () => {
  const nodesRef = { group: '', version: 'v1', plural: 'nodes' };
  const node = (labels: Record<string, string>): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1', labels },
  });
  const zoned = { 'topology.kubernetes.io/zone': 'eu-b' };
  const slice = {
    name: 'web-1',
    service: 'web',
    ports: http,
    endpoints: [{ addresses: ['10.0.0.1'], nodeName: 'n1' }],
  };

  it('stand for those that slices do not name, as soon as they are known', async () => {
    await using test = await start([slice], { hasNodeZones: true });
    await test.client.create(nodesRef, node({}));
    await test.client.patch({ ...nodesRef, name: 'n1' }, { type: 'merge', body: { metadata: { labels: zoned } } });
    await eventually(() => test.endpoints()[0]?.zone === 'eu-b');
  });

  it('do not override the fields of a slice', async () => {
    const named = { ...slice, endpoints: [{ addresses: ['10.0.0.1'], nodeName: 'n1', zone: 'eu-a' }] };
    await using test = await start([named], { hasNodeZones: true });
    await test.client.create(nodesRef, node(zoned));
    await test.cluster.putSlice({ ...named, name: 'web-2', endpoints: [{ addresses: ['10.0.0.2'], nodeName: 'n1' }] });
    await eventually(
      () =>
        test
          .endpoints()
          .map(({ zone }) => zone)
          .join() === 'eu-a,eu-b',
    );
  });
});
