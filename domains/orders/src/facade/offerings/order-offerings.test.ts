import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { toError } from '@chandlery/api';
import type { InternalBroker, InternalInstance } from '@chandlery/brokers/kinds';
import { eventually } from '@chandlery/testing';
import { instanceObjectOf } from '../../model/offerings/order-offering.ts';
import { urnOf } from '../../model/urns.ts';
import type { HostedState } from '../../order-ports.ts';
import { createRow, type OrderRow, type ServiceRow } from '../../registry/orders-registry.ts';
import { type OrderWorld, startOrderWorld } from '../../test-order-world.ts';
import { createOrderOfferings } from './create-order-offerings.ts';

const landscape = 'service-manager';

describe('services as offerings', () => {
  let world: OrderWorld;
  let broker: InternalBroker;
  let service: ServiceRow;
  const states = new Map<string, HostedState>();
  let notifyProcess: (service: string) => void = () => undefined;

  before(async () => {
    world = await startOrderWorld();
    broker = createOrderOfferings({
      ...world.deps,
      processes: {
        stateOf: id => states.get(id) ?? { problem: 'it is starting', isStarting: true },
        isRunning: () => true,
        listen: listener => {
          notifyProcess = listener;
          return () => undefined;
        },
      },
      isSiteServed: host => host === 'docs.example.com',
      siteEndpoint: () => ({ address: '127.0.0.1', port: 7443, name: 'https' }),
    });
    service = await world.service([
      { name: 'who', type: 'string' },
      { name: 'size', type: 'int', default: '3' },
      { name: 'fixed', type: 'string', default: 'x', constant: true },
    ]);
  });
  after(() => world[Symbol.asyncDispose]());

  const instanceOf = (id: string, parameters = {}): InternalInstance => ({
    id,
    serviceId: service.id,
    planId: `${service.id}.default`,
    parameters,
    caller: { tenant: landscape, platformId: 'k8s', context: { instance_name: 'hi' }, username: 'alice' },
  });
  const orderOf = (id: string): OrderRow => world.deps.registry.orders.get(id) ?? assert.fail();

  test('have one plan with the parameters that an order can set', async () => {
    const [offering] = await broker.catalog(landscape);
    assert.equal(offering?.id, service.id);
    assert.deepEqual(offering?.plans[0]?.parameters, {
      type: 'object',
      additionalProperties: false,
      properties: { who: { type: 'string' }, size: { type: 'integer' } },
      required: ['who'],
    });
    assert.deepEqual(broker.tenants?.(), [landscape]);
    assert.deepEqual(await broker.catalog('acme'), []);
  });

  test('are ordered once, by whom the platform says', async () => {
    const id = world.deps.registry.newId();
    const order = instanceOf(id, { who: 'you', size: 4 });
    assert.deepEqual(await broker.provision(order), { state: 'in progress' });
    assert.deepEqual(await broker.provision(order), { state: 'in progress' });
    const { tenant, spec, status } = orderOf(id);
    assert.equal(tenant, 'default');
    assert.equal(status.orderer, 'alice');
    assert.equal(spec.name, 'hi');
    assert.deepEqual(spec.parameters, [
      { name: 'who', value: 'you' },
      { name: 'size', value: '4' },
    ]);
    await assert.rejects(broker.provision(instanceOf(id, { who: 'others' })), { code: 'Conflict' });
  });

  test('are rejected with the words of the REST API', async () => {
    await assert.rejects(broker.provision(instanceOf('bad', { sise: 1 })), {
      code: 'BadRequest',
      message: 'the service has no parameter \'sise\'; did you mean "size"?',
    });
    assert.deepEqual(await broker.progress('bad'), { state: 'gone' });
  });

  test('name who made them with kubectl, also before they are accepted', () => {
    const spec = { service: 'urn:ivcap:service:x', userInfo: { username: 'ann' } };
    const made = { id: 'o', tenant: 'acme', createdAt: '', isDeleting: false, spec, status: {} };
    assert.equal(instanceObjectOf(made).username, 'ann');
    assert.equal(instanceObjectOf({ ...made, status: { orderer: 'ben' } }).username, 'ben');
  });

  test('go with their namespace, in which nothing can be added any more', async () => {
    const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
    const metadata = { name: 'leaving' };
    await world.onboarding.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
    const { registry } = world.deps;
    const id = registry.newId();
    const spec = { service: urnOf('service', service.id) };
    await registry.commit([
      createRow({ table: 'orders', id, tenant: 'leaving', spec, status: { status: 'succeeded' } }),
    ]);
    await world.onboarding.delete({ ...namespaces, name: 'leaving' });
    assert.deepEqual(await broker.deprovision(id), { state: 'in progress' });
  });

  test('are not offered to other tenants', async () => {
    const order = instanceOf('other', { who: 'you' });
    const caller = { ...order.caller, tenant: 'acme' };
    await assert.rejects(broker.provision({ ...order, caller }), { code: 'BadRequest' });
  });

  test('give their result to bindings when they have succeeded, and are gone when they are deprovisioned', async () => {
    const id = 'no UUID';
    await broker.provision(instanceOf(id, { who: 'you' }));
    assert.equal(await broker.bind(id, 'b', {}), 'in progress');
    const row = [...world.deps.registry.orders.all()].find(({ spec }) => spec.instance === id) ?? assert.fail();
    await world.setStatus(row, { phase: 'Succeeded', nodes: {} });
    await world.until(row, 'succeeded');
    const urn = `urn:ivcap:order:${row.id}`;
    assert.deepEqual(await broker.bind(id, 'b', {}), { order: urn, path: `/1/orders/${urn}`, status: 'succeeded' });
    assert.deepEqual(await broker.update(instanceOf(id), { parameters: { who: 'you' } }), { state: 'done' });
    await assert.rejects(broker.update(instanceOf(id), { parameters: { who: 'me' } }), { code: 'BadRequest' });
    assert.deepEqual(await broker.deprovision(id), { state: 'done' });
    assert.deepEqual(await broker.progress(id), { state: 'gone' });
    assert.equal(await broker.credentials(id, 'b'), undefined);
  });

  test('keep an order that has failed, until its instance is deleted or asks for something else', async () => {
    const id = world.deps.registry.newId();
    await broker.provision(instanceOf(id, { who: 'you' }));
    await broker.deprovision(id, { isMitigation: true });
    assert.deepEqual(await broker.progress(id), { state: 'gone' }, 'what runs is ended');
    await eventually(() => world.deps.registry.orders.get(id) === undefined);
    await broker.provision(instanceOf(id, { who: 'you' }));
    await world.setStatus(orderOf(id), { phase: 'Failed', message: 'no space left', nodes: {} });
    await world.until(orderOf(id), 'failed');
    assert.deepEqual(await broker.deprovision(id, { isMitigation: true }), { state: 'done' });
    assert.equal((await broker.progress(id)).state, 'failed');
    await assert.rejects(broker.provision(instanceOf(id, { who: 'you' })), {
      code: 'BadRequest',
      message: `the order has failed: no space left; retry it with \`chandlery order retry ${id}\``,
    });
    const codes = new Set<string>();
    const orderAgain = async (): Promise<boolean> => {
      try {
        return (await broker.provision(instanceOf(id, { who: 'me' }))).state === 'in progress';
      } catch (error) {
        codes.add(toError(error).code);
        return false;
      }
    };
    await eventually(orderAgain, { what: 'the order with other parameters' });
    codes.delete('ConcurrencyError');
    assert.deepEqual([...codes], [], 'the first order is waited for where it is still being removed');
    assert.deepEqual(orderOf(id).spec.parameters, [{ name: 'who', value: 'me' }]);
    await broker.deprovision(id);
    assert.deepEqual(await broker.progress(id), { state: 'gone' });
  });

  test('have orders of the REST API among their instances, and none of jobs', async () => {
    const seen = new Set<string>();
    const stop = broker.objects?.listen({ changed: id => seen.add(id), completed: () => undefined });
    const order = await world.order({ service, parameters: [{ name: 'who', value: 'rest' }] });
    const job = await world.order({
      service,
      parameters: [{ name: 'who', value: 'rest' }],
      job: `urn:ivcap:job:${world.deps.registry.newId()}`,
    });
    await eventually(() => seen.has(order.id));
    const object = await broker.objects?.get(order.id);
    assert.equal(object?.isProvisioned, false);
    assert.equal(object?.username, 'tester');
    assert.equal(object?.tenant, landscape);
    assert.equal(seen.has(job.id), false);
    stop?.();
  });

  test('cannot be claimed by an order that names the instance of another', async () => {
    const id = world.deps.registry.newId();
    await broker.provision(instanceOf(id, { who: 'you' }));
    const forged = await world.order({ service, parameters: [{ name: 'who', value: 'x' }], instance: id });
    assert.equal((await broker.objects?.get(forged.id))?.id, forged.id);
    assert.equal((await broker.objects?.get(id))?.id, id);
  });

  describe('of services that run all the time', () => {
    before(async () => {
      const metadata = { name: 'acme' };
      await world.onboarding.create(
        { group: '', version: 'v1', plural: 'namespaces' },
        { apiVersion: 'v1', kind: 'Namespace', metadata },
      );
    });
    const create = async (controller: object, name: string): Promise<string> => {
      const { registry } = world.deps;
      const id = registry.newId();
      const spec = { name, controller: { ...controller } };
      await registry.commit([createRow({ table: 'services', id, tenant: 'acme', spec })]);
      return id;
    };
    const rest = { $schema: 'urn:ivcap:schema:service.rest.1', image: 'a' };

    test('are the services themselves, which listen while their process is ready', async () => {
      const changed: string[] = [];
      const stop = broker.objects?.listen({ changed: id => changed.push(id), completed: () => undefined });
      const id = await create({ ...rest, 'service-account': 'guard' }, 'answers');
      await eventually(() => changed.includes(id));
      const starting = await broker.objects?.get(id);
      assert.deepEqual(starting?.progress, { state: 'in progress', description: 'it is starting' });
      assert.equal(starting.listens, undefined);
      assert.equal(await broker.bind(id, 'b', {}), 'in progress');

      states.set(id, { endpoint: { host: '127.0.0.1', port: 4711, process: 'p' } });
      changed.length = 0;
      notifyProcess(id);
      assert.deepEqual(changed, [id]);
      const { progress, listens, isProvisioned, tenant, planId } = (await broker.objects?.get(id)) ?? assert.fail();
      assert.deepEqual([progress.state, isProvisioned, tenant], ['succeeded', false, 'acme']);
      const endpoints = [{ address: '127.0.0.1', port: 4711, name: 'http' }];
      assert.deepEqual(listens, { serviceAccount: 'guard', endpoints });
      const offered = (await broker.catalog('acme')).flatMap(({ plans }) => plans).find(plan => plan.id === planId);
      assert.equal(offered?.isOrderable, false);
      const service = `urn:ivcap:service:${id}`;
      assert.deepEqual(await broker.bind(id, 'b', {}), {
        service,
        path: `/1/services2/${service}/jobs`,
        host: '127.0.0.1',
        port: 4711,
        uri: 'http://127.0.0.1:4711',
      });
      stop?.();
    });

    test('are sites, which listen where the landscape does', async () => {
      const controller = { $schema: 'urn:ivcap:schema:service.app-server.1', artifact: 'urn:ivcap:artifact:x' };
      const id = await create({ ...controller, host: 'docs.example.com' }, 'docs');
      const object = await broker.objects?.get(id);
      assert.equal(object?.progress.state, 'succeeded');
      assert.deepEqual(object.listens, { endpoints: [{ address: '127.0.0.1', port: 7443, name: 'https' }] });
      assert.equal(((await broker.bind(id, 'b', {})) as { uri: string }).uri, 'https://docs.example.com');
      const foreign = await create({ ...controller, host: 'www.example.com' }, 'www');
      const denied = await broker.objects?.get(foreign);
      assert.equal(denied?.progress.state, 'in progress');
      assert.equal(denied.listens, undefined);
    });

    test('are made and changed as services only, and are deleted with their instance', async () => {
      const id = await create(rest, 'job-server');
      await world.deps.registry.commit([
        createRow({
          table: 'services',
          id: world.deps.registry.newId(),
          tenant: 'acme',
          spec: { name: 'job-server', controller: { $schema: 'urn:ivcap:schema:service.basic.1', image: 'a' } },
        }),
      ]);
      const { serviceId, planId } = (await broker.objects?.get(id)) ?? assert.fail();
      const offered = await broker.catalog('acme');
      assert.equal(offered.find(offering => offering.id === serviceId)?.name, 'hosted-job-server');
      assert.equal(new Set(offered.map(({ name }) => name)).size, offered.length);
      const wanted = { ...instanceOf(id), serviceId, planId };
      await assert.rejects(broker.provision({ ...wanted, id: 'new' }), {
        code: 'BadRequest',
        message: /service apply/,
      });
      await assert.rejects(broker.update(wanted, { parameters: { image: 'b' } }), { code: 'BadRequest' });
      assert.deepEqual(await broker.deprovision(id, { isDryRun: true }), { state: 'done' });
      assert.ok(world.deps.registry.services.get(id));
      assert.deepEqual(await broker.deprovision(id), { state: 'done' });
      assert.equal(world.deps.registry.services.get(id), undefined);
      assert.deepEqual(await broker.progress(id), { state: 'gone' });
      assert.equal(await broker.objects?.get(id), undefined);
    });
  });
});
