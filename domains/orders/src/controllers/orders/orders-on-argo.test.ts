import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { AtomicClient } from '@chandlery/client';
import { silentLogger, systemClock } from '@chandlery/platform';
import { eventually, tempFolder } from '@chandlery/testing';
import { cancelOrder, retryOrder } from '../../actions/orders/control-order.ts';
import { orderLog } from '../../actions/orders/order-log.ts';
import { routeWorkflows } from '../../actions/orders/route-workflows.ts';
import { ArgoEngine } from '../../adapters/argo/argo-engine.ts';
import { installWorkflows } from '../../adapters/argo/test-recorded-argo.ts';
import { FileNodeLogs } from '../../adapters/node-logs/file-node-logs.ts';
import { workflowsRef } from '../../kinds/workflows/index.ts';
import { podsOf } from '../../model/documents/order-pods.ts';
import type { OrderRow } from '../../registry/orders-registry.ts';
import { type OrderWorld, startOrderWorld, tenant } from '../../test-order-world.ts';
import { observeOrder } from './observe-order.ts';

/** Orders whose tenant goes to the Argo of cluster `far`; the test plays its controller. */
interface ArgoWorld extends OrderWorld {
  readonly far: AtomicClient;
  /** Whether the cluster can be reached. */
  isReachable: boolean;
  move(order: OrderRow, status: object): Promise<KubeObject>;
}

async function startArgoWorld(tenants = [tenant], isReachable = true): Promise<ArgoWorld> {
  const reach = { isReachable };
  let far: AtomicClient | undefined;
  const world = await startOrderWorld(async ({ embedded, plane, stack }) => {
    const folder = stack.use(await tempFolder());
    const client = await plane.createCluster('far');
    await installWorkflows(client);
    far = client;
    const readLog = async () => Promise.resolve(lines('2026-01-01T00:00:00Z hello\n'));
    const settings = { cluster: 'far', namespace: 'flows', tenants };
    const engine = new ArgoEngine({
      settings,
      connect: async () => (reach.isReachable ? { client, readLog } : Promise.reject(new Error('no route'))),
      logs: new FileNodeLogs(folder.path),
      clock: systemClock,
      logger: silentLogger,
    });
    return routeWorkflows({ embedded, argo: [{ settings, engine: stack.use(engine) }] });
  });
  const client = far ?? assert.fail();
  return Object.assign(reach, world, {
    far: client,
    move: async ({ id }: OrderRow, status: object) => {
      const ref = { ...workflowsRef, namespace: 'flows', name: `order-${id}` };
      const found = await eventually(() => client.get(ref), { what: 'the Workflow is there' });
      return client.update(ref, { ...found, status: { ...status } });
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  });
}

async function* lines(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const podNode = (name: string, phase: string) => ({
  [name]: {
    id: name,
    name,
    displayName: name,
    type: 'Pod',
    phase,
    templateName: 'basic',
    startedAt: '2026-01-01T00:00:00Z',
  },
});

describe('Orders on the Argo of a cluster', () => {
  it('are handed in there, followed, and keep log and Workflow when both are gone', async () => {
    await using world = await startArgoWorld();
    const order = await world.order();
    await world.move(order, { phase: 'Running' });
    const running = await world.until(order, 'executing');
    assert.deepEqual([running.status.workflow?.cluster, running.status.workflow?.namespace], ['far', 'flows']);
    const name = `order-${order.id}`;
    const moved = await world.move(order, { phase: 'Succeeded', nodes: podNode(name, 'Succeeded') });
    assert.deepEqual(podsOf(moved), [name]);
    await world.until(order, 'succeeded');
    const settled = await world.deps.registry.orders.until(
      order.id,
      row => row?.status.logDigest !== undefined,
      AbortSignal.timeout(10_000),
    );
    await world.far.delete({ ...workflowsRef, namespace: 'flows', name });
    const row = settled ?? assert.fail();
    const log = await Array.fromAsync(orderLog(world.deps, row));
    assert.deepEqual(
      log.map(({ text }) => text),
      ['hello'],
    );
    const stored = Buffer.concat(await Array.fromAsync(world.deps.blobs.read(row.status.workflowDigest ?? '')));
    assert.equal((JSON.parse(stored.toString()) as KubeObject).metadata.name, name);
  });

  it('of other tenants stay on the embedded engine', async () => {
    await using world = await startArgoWorld(['somebody']);
    const order = await world.order();
    await world.setStatus(order, { phase: 'Succeeded' });
    const ended = await world.until(order, 'succeeded');
    assert.equal(ended.status.workflow?.cluster, undefined);
  });

  it('are errors when their Workflow vanishes before its end', async () => {
    await using world = await startArgoWorld();
    const order = await world.order();
    await world.move(order, { phase: 'Running' });
    await world.until(order, 'executing');
    await world.far.delete({ ...workflowsRef, namespace: 'flows', name: `order-${order.id}` });
    const ended = await world.until(order, 'error');
    assert.match(ended.status.errorMessage ?? '', /was removed before it ended/);
  });

  it('are cancelled and retried there', async () => {
    await using world = await startArgoWorld();
    const order = await world.order();
    await world.move(order, { phase: 'Running' });
    await world.until(order, 'executing');
    await cancelOrder(world.deps, order.id, 'terminate');
    const ref = { ...workflowsRef, namespace: 'flows', name: `order-${order.id}` };
    const specOf = async () => (await world.far.get(ref))['spec'] as { readonly shutdown?: string };
    await eventually(async () => (await specOf()).shutdown === 'Terminate', { what: 'the shutdown' });
    await world.move(order, { phase: 'Failed', nodes: podNode(`order-${order.id}`, 'Failed') });
    await world.until(order, 'cancelled');
    await retryOrder(world.deps, order.id, {});
    await eventually(async () => ((await world.far.get(ref))['status'] as { phase?: string }).phase === '', {
      what: 'the retry',
    });
    assert.equal((await specOf()).shutdown, undefined);
    await world.move(order, { phase: 'Succeeded' });
    await world.until(order, 'succeeded');
  });

  it('are unknown while their Workflow cannot be read', async () => {
    await using world = await startArgoWorld();
    const order = await world.order();
    await world.move(order, { phase: 'Running' });
    const row = await world.until(order, 'executing');
    const unknown = world.until(order, 'unknown');
    const away = { ...world.deps.workflows, get: () => Promise.reject(new Error('no route')) };
    const watched = { get: () => undefined, ofOrder: () => [] };
    const deps = { ...world.deps, workflows: away, watched, answers: new Map() };
    await assert.rejects(observeOrder(deps, row), /no route/);
    await unknown;
    await world.until(order, 'executing');
  });

  it('wait while the cluster cannot be reached', async () => {
    await using world = await startArgoWorld([tenant], false);
    const order = await world.order();
    await eventually(() => world.deps.registry.orders.get(order.id)?.status.status === 'pending');
    world.isReachable = true;
    await world.move(order, { phase: 'Succeeded' });
    await world.until(order, 'succeeded');
  });
});
