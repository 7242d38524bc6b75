import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { cancelOrder, retryOrder } from '../../actions/orders/control-order.ts';
import { ordersKinds } from '../../kinds/index.ts';
import { workflowsRef } from '../../kinds/workflows/index.ts';
import { urnOf } from '../../model/urns.ts';
import { startOrderWorld, tenant } from '../../test-order-world.ts';

const node = (fields: object) => ({
  id: 'n',
  name: 'n',
  displayName: 'n',
  type: 'Pod',
  startedAt: '2026-01-01T00:00:00Z',
  ...fields,
});

describe('the status of an order', () => {
  const cases: readonly (readonly [why: string, status: object, expected: string, message?: RegExp])[] = [
    ['a phase that succeeded', { phase: 'Succeeded' }, 'succeeded'],
    ['a phase that failed', { phase: 'Failed', message: 'main: Error (exit code 1)' }, 'failed', /exit code 1/],
    ['an error', { phase: 'Error', message: 'pod lost' }, 'error', /pod lost/],
    ['an invalid document', { phase: 'Failed', message: 'invalid spec: x' }, 'error', /invalid spec/],
    [
      'the message of the node that failed',
      {
        phase: 'Failed',
        message: "child 'x' failed",
        nodes: { n: node({ phase: 'Failed', message: 'OOMKilled (exit code 137)' }) },
      },
      'failed',
      /n: OOMKilled/,
    ],
  ];
  for (const [why, status, expected, message] of cases)
    test(`follows ${why}`, async () => {
      await using world = await startOrderWorld();
      const order = await world.order();
      await world.until(order, 'scheduled');
      await world.setStatus(order, { phase: 'Running' });
      const running = await world.until(order, 'executing');
      assert.ok(running.status.startedAt);
      await world.setStatus(order, status);
      const ended = await world.until(order, expected);
      assert.ok(ended.status.finishedAt);
      if (message !== undefined) assert.match(ended.status.errorMessage ?? '', message);
    });

  test('begins for the user whom the server has recorded, when it was made with kubectl', async () => {
    await using world = await startOrderWorld();
    const { registry } = world.deps;
    const { id: service } = await world.service();
    const { apiVersion, kind, ref } = ordersKinds.orders;
    const name = registry.newId();
    const spec = { service: urnOf('service', service), userInfo: { username: 'ann' } };
    await world.onboarding.create({ ...ref, namespace: tenant }, { apiVersion, kind, metadata: { name }, spec });
    await eventually(() => registry.orders.get(name)?.status.orderer === 'ann', { what: 'the orderer' });
  });

  test('is an error when its Workflow vanishes, and ends once', async () => {
    await using world = await startOrderWorld();
    const order = await world.order();
    await world.until(order, 'scheduled');
    await world.workflow(order);
    await world.deps.workflows.remove({ namespace: `orders-${tenant}`, name: `order-${order.id}` });
    const ended = await world.until(order, 'error');
    assert.match(ended.status.errorMessage ?? '', /was removed/);
  });

  test('is an error when a node waits for an image that nobody has', async () => {
    await using world = await startOrderWorld();
    const order = await world.order();
    const waiting = node({ phase: 'Pending', message: 'ImagePullBackOff: no such image' });
    await world.setStatus(order, { phase: 'Running', nodes: { n: waiting } });
    const ended = await world.until(order, 'error');
    assert.match(ended.status.errorMessage ?? '', /no such image/);
    await eventually(
      async () => ((await world.workflow(order))['spec'] as { shutdown?: string }).shutdown === 'Terminate',
      { what: 'the Workflow is terminated' },
    );
  });
});

describe('control of an order', () => {
  test('cancels by the spec of the Workflow, and a success wins', async () => {
    await using world = await startOrderWorld();
    for (const [phase, expected] of [
      ['Failed', 'cancelled'],
      ['Succeeded', 'succeeded'],
    ] as const) {
      const order = await world.order();
      await world.setStatus(order, { phase: 'Running' });
      await world.until(order, 'executing');
      await cancelOrder(world.deps, order.id, 'stop');
      await eventually(
        async () => ((await world.workflow(order))['spec'] as { shutdown?: string }).shutdown === 'Stop',
        { what: 'the Workflow is to stop' },
      );
      await world.setStatus(order, { phase });
      await world.until(order, expected);
      await assert.rejects(cancelOrder(world.deps, order.id, 'stop'), { restCode: 'conflict' });
    }
  });

  test('retries: the Workflow runs again without what failed, and ends anew', async () => {
    await using world = await startOrderWorld();
    const order = await world.order();
    const name = `order-${order.id}`;
    const failed = node({ id: name, name, displayName: name, type: 'Retry', phase: 'Failed', children: ['a'] });
    const attempt = node({ id: 'a', name: `${name}(0)`, phase: 'Failed', boundaryID: name });
    await world.setStatus(order, {
      phase: 'Failed',
      finishedAt: '2026-01-01T00:00:01Z',
      nodes: { [name]: failed, a: attempt },
    });
    await world.until(order, 'failed');
    const row = await retryOrder(world.deps, order.id, {});
    assert.equal(row.status.status, 'executing');
    assert.equal(row.status.finishedAt, undefined);
    await eventually(async () => ((await world.workflow(order))['status'] as { phase: string }).phase === 'Running', {
      what: 'the Workflow runs again',
    });
    await world.setStatus(order, { phase: 'Succeeded' });
    const ended = await world.until(order, 'succeeded');
    assert.equal(ended.status.retries, 1);
  });

  test('removes the Workflow of an order that is gone', async () => {
    await using world = await startOrderWorld();
    const order = await world.order();
    await world.workflow(order);
    await world.until(order, 'scheduled');
    const plural = { group: 'orders.chandlery.io', version: 'v1alpha1', plural: 'orders' };
    const { registry } = world.deps;
    const client = world.onboarding;
    await client.delete({ ...plural, namespace: tenant, name: order.id });
    await eventually(async () => (await world.platform.list({ ...workflowsRef })).items.length === 0, {
      what: 'the Workflow is removed',
    });
    assert.equal(registry.orders.get(order.id), undefined);
  });
});

describe('a standing order', () => {
  test('runs while there are messages, delays runs that answer nothing, and returns what they borrowed', async () => {
    await using world = await startOrderWorld();
    const { actions, deps } = world;
    const queue = await actions.queues.create({ username: 'x', tenant }, { name: 'q' });
    const execution = { type: 'standing' as const, selector: { queue: urnOf('queue', queue.id) } };
    const order = await world.order({ execution });
    await world.until(order, 'scheduled');
    const send = (content: string) => actions.queues.send(queue, { username: 'x', tenant }, { content });
    await send('one');
    await world.until(order, 'executing');
    const base = proxyOf(world.deps.dataProxy.bind({ id: order.id, tenant }, { name: 'x' }).env);
    const borrowed = await fetch(`${base}/${urnOf('queue', queue.id)}`, { redirect: 'manual' });
    assert.equal(borrowed.status, 307);
    assert.equal((await fetch(`${base}/${urnOf('queue', queue.id)}`, { redirect: 'manual' })).status, 204);
    assert.equal(await (await fetch(borrowed.headers.get('location') ?? '')).text(), 'one');
    await world.setStatus(order, { phase: 'Failed' }, 1);
    const idle = await world.until(order, 'scheduled');
    assert.equal((idle.status.engineState as { failures: number }).failures, 1);
    const [message] = deps.registry.queueMessages.by('queue', queue.id);
    assert.equal(message?.status.state, 'pending');
    const second = await world.until(order, 'executing');
    assert.equal(second.status.runs, 2);
    const again = await fetch(`${base}/${urnOf('queue', queue.id)}`, { redirect: 'manual' });
    const token = again.headers.get('x-ack-token') ?? '';
    const answer = (body: string) => fetch(`${base}/${urnOf('queue', queue.id)}`, { method: 'DELETE', body });
    assert.equal((await answer('wrong')).status, 404);
    assert.equal((await answer(token)).status, 204);
    await world.setStatus(order, { phase: 'Succeeded' }, 2);
    await world.until(order, 'scheduled');
    assert.equal(deps.registry.queueMessages.count('queue', queue.id), 0);
    await cancelOrder(deps, order.id, 'stop');
    await world.until(order, 'cancelled');
    assert.equal((await fetch(`${base}/readyz`)).status, 403);
  });
});

const proxyOf = (env: readonly { readonly name: string; readonly value?: string }[]): string =>
  env.find(({ name }) => name === 'IVCAP_BASE_URL')?.value ?? '';
