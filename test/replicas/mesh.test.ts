import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type TestLandscape } from '@chandlery/testing';
import { status } from '@grpc/grpc-js';
import { resourceTypes, typeUrls } from '../../domains/mesh/src/model/resource.ts';
import type { TestTls } from '../../domains/mesh/src/test-xds-client/test-connect-xds.ts';
import { allowCalls, declareService, setEndpoints, setService } from '../conformance/xds/support/declare-service.ts';
import {
  createMeshCluster,
  type MeshLandscape,
  meshOf,
  namespace,
  object,
  portName,
  refs,
  tenant,
} from '../conformance/xds/support/mesh-landscape.ts';
import { namesOf } from '../conformance/xds/support/test-proxy.ts';
import { startWork } from '../durability/support/background-work.ts';
import { firstAnswers } from './mesh-answers.ts';
import { RovingProxy } from './mesh-proxy.ts';
import { type Replicas, startReplicas } from './start-replicas.ts';

const account = 'web';
const services = Array.from({ length: 12 }, (_, no) => `service-${no}`);
const patience = { timeoutMs: 60_000 };

const addresses = (count: number) => Array.from({ length: count }, (_, no) => ({ ip: `10.1.0.${no + 1}` }));
const service = (name: string, count: number) => ({ name, account: 'shop', endpoints: addresses(count) });

describe('the mesh on two replicas', () => {
  let replicas: Replicas;
  let here: MeshLandscape;
  let there: MeshLandscape;
  let tls: Required<TestTls>;

  before(async () => {
    replicas = await startReplicas(2);
    const [first, second] = replicas.all as [TestLandscape, TestLandscape];
    await createMeshCluster(second, tenant);
    [here, there] = [await meshOf(first), await meshOf(second)];
    await Promise.all(services.map(name => declareService(there.client, service(name, 1))));
    // It has callers too, so that it has listeners.
    await declareService(there.client, { name: 'front', account, endpoints: [{ ip: '10.2.0.1' }] });
    await allowCalls(there.client, { name: 'web-to-shop', from: [account], to: 'shop' });
    await allowCalls(there.client, { name: 'shop-to-web', from: ['shop'], to: account });
    tls = await there.certificate({ account }, account);
  });
  after(async () => {
    await here?.[Symbol.asyncDispose]();
    await there?.[Symbol.asyncDispose]();
    await replicas?.[Symbol.asyncDispose]();
  });

  const endpointsOf = (name: string): string => `/mesh/v1/meshes/${tenant}/services/${namespace}/${name}/endpoints`;

  /**
   * Waits until both replicas have read all objects of a service, which come in several watches: its declaration (and
   * what was done to other services before), its endpoints, and their pods, which name the accounts.
   */
  const bothKnow = (name: string, count: number) =>
    eventually(async () => {
      const answers = await Promise.all([here, there].map(({ landscape }) => landscape.request(endpointsOf(name))));
      return answers.every(answer => {
        const { clusters = [], endpoints = [] } = answer.json<ShownEndpoints>();
        return clusters.length > 0 && endpoints.filter(each => each.serviceAccount !== undefined).length === count;
      });
    }, patience);

  /** All types, in both protocols, from both replicas. */
  const expectEqualAnswers = async (): Promise<void> => {
    for (const mode of ['sotw', 'delta'] as const) {
      const asked = { account, tls, mode, services };
      const [one, other] = [await firstAnswers(here, asked), await firstAnswers(there, asked)];
      for (const type of resourceTypes) {
        const [a, b] = [one.get(type), other.get(type)];
        assert.ok(a && b && a.resources.length > 0, `${mode} ${type}`);
        assert.deepEqual([a.version, a.nonce], [b.version, b.nonce], `${mode} ${type}`);
        assert.ok(a.bytes.equals(b.bytes), `${mode} ${type}: the bytes differ`);
      }
    }
  };

  test('both send the same versions, nonces and bytes, independent of earlier requests', async () => {
    await using first = new RovingProxy(account, tls);
    await first.connect(here);
    await eventually(() => first.has.secret.size === 1, patience);
    await bothKnow('service-0', 1);
    await expectEqualAnswers();

    // One of them gets more requests, of other clients.
    await using other = await here.proxy({ account: 'other' });
    await using twin = await here.proxy({ account });
    for (const proxy of [other, twin]) {
      proxy.ask(
        'endpoints',
        [...services, 'no-such'].map(name => portName(name)),
      );
      await proxy.handled();
    }
    await setEndpoints(there.client, service('service-0', 3));
    await here.client.delete({ ...refs.services, namespace, name: 'service-11' });
    await declareService(here.client, service('service-12', 2));
    await bothKnow('service-0', 3);
    await bothKnow('service-12', 2);
    await expectEqualAnswers();
  });

  test('each shows the proxies of both, and names the replica with the configuration of one', async () => {
    await using near = await here.proxy({ account, nodeId: 'near' });
    await using far = await there.proxy({ account, nodeId: 'far' });
    for (const proxy of [near, far]) {
      proxy.ask('cluster', []);
      await proxy.handled();
    }
    const path = `/mesh/v1/meshes/${tenant}/proxies`;
    for (const { landscape } of [here, there]) {
      const nodes = async (): Promise<boolean> => {
        const { items } = (await landscape.request(path)).json<{ items: { nodeId: string; replica: string }[] }>();
        const found = items.filter(({ nodeId }) => ['near', 'far'].includes(nodeId));
        return new Set(found.map(({ replica }) => replica)).size === 2;
      };
      await eventually(nodes, patience);
    }
    const elsewhere = await here.landscape.request(`${path}/far`);
    assert.equal(elsewhere.status, 404);
    assert.match(elsewhere.text, /is connected to the replica/);
    assert.equal((await there.landscape.request(`${path}/far`)).status, 200);
  });

  test('each names its own port for proxies', async () => {
    const path = `/mesh/v1/clusters/${tenant}/namespaces/${namespace}/serviceaccounts/${account}/trust`;
    for (const { landscape } of [here, there]) {
      const { xdsPort } = (await landscape.request(path)).json<{ xdsPort: number }>();
      assert.equal(xdsPort, landscape.xdsPort);
    }
  });

  test('a machine is lost for all replicas when its proxy has disconnected, and not when it moved to another', async () => {
    const machines = ['vm-1', 'vm-2'];
    await setService(there.client, { name: 'depot', ports: [{ name: 'http', port: 80 }] });
    const spec = {
      machines: machines.map((id, index) => ({ id, addresses: [`10.3.0.${index + 1}`] })),
      services: [{ name: 'depot', ports: [{ name: 'http', port: 80 }], machines, serviceAccount: 'depot' }],
    };
    const set = object('mesh.chandlery.io/v1alpha1', 'VirtualMachineSet', { name: 'depot', namespace }, { spec });
    await there.client.create({ ...refs.machineSets, namespace }, set);
    const healths = async ({ landscape }: MeshLandscape): Promise<string> => {
      const answer = await landscape.request(endpointsOf('depot'));
      const { endpoints } = answer.json<{ endpoints: readonly { source: string; health: string }[] }>();
      return endpoints.map(({ source, health }) => `${source} ${health}`).join();
    };
    const become = async (wanted: string): Promise<void> => {
      for (const mesh of [here, there])
        await eventually(async () => (await healths(mesh)) === wanted, { timeoutMs: 120_000, what: wanted });
    };
    const join = async (mesh: MeshLandscape, nodeId: string) => {
      const proxy = await mesh.proxy({ account: 'depot', nodeId });
      proxy.ask('listener', ['*']);
      await proxy.handled();
      return proxy;
    };
    await become('vm-1 healthy,vm-2 healthy');
    const first = await join(here, 'vm-1');
    await using _moved = await join(there, 'vm-1');
    const second = await join(here, 'vm-2');
    // Replicas report to each other once a second.
    await sleep(3_000);
    await first[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
    await become('vm-1 healthy,vm-2 unhealthy');
    // A replica that starts has seen none of this.
    await here.landscape.restart();
    await become('vm-1 healthy,vm-2 unhealthy');
    await using _back = await join(here, 'vm-2');
    await become('vm-1 healthy,vm-2 healthy');
    // Otherwise their proxies, which end now, would be lost in a later test.
    await there.client.delete({ ...refs.machineSets, namespace, name: 'depot' });
    await become('');
    // Without endpoints, other accounts see the service.
    await there.client.delete({ ...refs.services, namespace, name: 'depot' });
    for (const { landscape } of [here, there])
      await eventually(async () => (await landscape.request(endpointsOf('depot'))).status === 404, patience);
  });

  test('a proxy that reconnects with its resources gets only changes', async () => {
    await using proxy = new RovingProxy(account, tls);
    await proxy.connect(here);
    const isComplete = (): boolean => proxy.has.endpoints.size === services.length && proxy.has.secret.size === 1;
    await eventually(isComplete, patience);
    await proxy.connect(there);
    await setEndpoints(there.client, service('service-1', 4));
    await eventually(() => proxy.news > 0, patience);
    assert.deepEqual([proxy.news, proxy.repeated], [1, []]);
  });

  test('a proxy that is moved by a kill, during changes, gets nothing twice and misses nothing', async () => {
    await using proxy = new RovingProxy(account, tls);
    await proxy.connect(here);
    await eventually(() => proxy.has.endpoints.size === services.length, patience);
    let writes = 0;
    const write = async (stop: AbortSignal): Promise<void> => {
      for (; !stop.aborted; writes++)
        await setEndpoints(there.client, service(`service-${writes % 8}`, 2 + (writes % 20)));
    };
    const writeSome = (count: number) => {
      const goal = writes + count;
      return eventually(() => writes >= goal, patience);
    };
    await using work = startWork(stop => [write(stop)]);
    await writeSome(10);
    await here.landscape.kill9();
    const comesAndGoes = ['service-9', 'service-20'] as const;
    await there.client.delete({ ...refs.services, namespace, name: comesAndGoes[0] });
    await declareService(there.client, service(comesAndGoes[1], 1));
    await proxy.connect(there);
    await writeSome(10);
    await work.stop();

    // Another proxy of the account: a second connection of the same one would end the stream of the first.
    const nodeId = 'fresh';
    await using fresh = new RovingProxy(account, await there.certificate({ account }, nodeId), nodeId);
    await fresh.connect(there);
    await eventually(() => fresh.has.endpoints.size === services.length && fresh.has.secret.size === 1, patience);
    // The moved proxy follows what changes now, too.
    const changed = portName('service-8');
    const before = fresh.has.endpoints.get(changed);
    await setEndpoints(there.client, service('service-8', 3));
    await eventually(() => {
      assert.equal(proxy.end, undefined, 'the stream of the moved proxy');
      assert.deepEqual(proxy.state, fresh.state);
      return fresh.has.endpoints.get(changed) !== before;
    }, patience);
    assert.deepEqual(
      comesAndGoes.map(name => proxy.has.endpoints.has(portName(name))),
      [false, true],
    );
    assert.deepEqual(proxy.repeated, []);
  });

  test('a replica that starts never sends an empty view, however early a proxy connects', async () => {
    const whole = (await firstClusters(there))?.names;
    assert.ok(whole && whole.length > services.length);
    // On a fast machine, a replica may be ready before any client connects.
    let cameEarly = false;
    for (let start = 0; start < 5 && !cameEarly; start++) {
      const seen = await knockDuringRestart();
      for (const { code, names } of seen) {
        if (names === undefined) assert.equal(code, status.UNAVAILABLE);
        else assert.deepEqual(names, whole);
      }
      cameEarly = seen.some(({ wasStarted }) => !wasStarted);
    }
    assert.ok(cameEarly, 'no proxy connected early');
    await expectEqualAnswers();
  });

  /** What proxies received that connected while a replica started, and what one received afterwards. */
  async function knockDuringRestart(): Promise<(FirstSight & { readonly wasStarted: boolean })[]> {
    let isStarted = false;
    const started = here.landscape.restart().then(() => {
      isStarted = true;
    });
    const seen: (FirstSight & { readonly wasStarted: boolean })[] = [];
    while (!seen.some(({ wasStarted }) => wasStarted)) {
      const wasStarted = isStarted;
      const sight = await firstClusters(here).catch(() => undefined);
      if (sight === undefined) await sleep(2);
      else seen.push({ ...sight, wasStarted });
    }
    await started;
    return seen;
  }

  /** The first resources of a new proxy, or its rejection. Rejects without a listener. */
  async function firstClusters(mesh: MeshLandscape): Promise<FirstSight> {
    await using connection = await mesh.connect({ account }, tls);
    const stream = connection.open();
    stream.send({ typeUrl: typeUrls.cluster });
    const told = stream.waitFor(([response]) => response, patience.timeoutMs);
    const response = await told.catch(() => undefined);
    return response ? { names: namesOf(response) } : { code: stream.end?.code };
  }
});

interface FirstSight {
  readonly names?: readonly string[];
  readonly code?: number | undefined;
}

interface ShownEndpoints {
  /** The clusters that declare the service. */
  readonly clusters?: readonly string[];
  readonly endpoints?: readonly { readonly serviceAccount?: string }[];
}
