import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { InternalBroker, InternalInstance } from '@chandlery/brokers/kinds';
import { silentLogger } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import { changeInstance } from '../../actions/change-instance.ts';
import { forceStatus, instanceOf as rowOf } from '../../actions/test-instances.ts';
import { NamespaceTenants } from '../../adapters/tenants/namespace-tenants.ts';
import { startTestFleet, type TestFleet } from '../../test-fleet.ts';
import { createFleetOfferings } from './create-fleet-offerings.ts';

const namespaces = { group: '', version: 'v1', plural: 'namespaces' };

describe('products as offerings', () => {
  let fleet: TestFleet;
  let tenants: NamespaceTenants;
  let broker: InternalBroker;

  before(async () => {
    fleet = await startTestFleet();
    await fleet.configure();
    const labels = { 'osb.chandlery.io/organisation': '13640203' };
    for (const metadata of [{ name: 'acme', labels }, { name: 'plain' }])
      await fleet.client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
    tenants = new NamespaceTenants({ client: fleet.client, logger: silentLogger });
    broker = createFleetOfferings({ ...fleet.deps, tenants });
  });
  after(async () => {
    await tenants[Symbol.asyncDispose]();
    await fleet[Symbol.asyncDispose]();
  });

  const instanceOf = (id: string, more: Partial<InternalInstance> = {}): InternalInstance => ({
    id,
    serviceId: 'fleet.dinosaurs',
    planId: 'fleet.dinosaurs.standard.x1',
    parameters: {},
    caller: { tenant: 'acme', platformId: 'k8s', context: { instance_name: 'My DB' }, username: 'zoe' },
    ...more,
  });

  test('have a plan for each size of each type', async () => {
    const [offering] = await broker.catalog();
    assert.equal(offering?.name, 'dinosaurs');
    assert.deepEqual(
      offering?.plans.map(({ name }) => name),
      ['standard.x1', 'standard.x2', 'eval.x1'],
    );
  });

  test('are ordered once, for the organisation of the tenant', async () => {
    assert.deepEqual(await broker.provision(instanceOf('one')), { state: 'in progress' });
    assert.deepEqual(await broker.provision(instanceOf('one')), { state: 'in progress' });
    const { spec } = rowOf(fleet.deps, 'one');
    assert.equal(spec.organisation, '13640203');
    assert.equal(spec.owner, 'zoe');
    assert.equal(spec.name, 'my-db');
    assert.equal(spec.plan, 'standard.x1');
    const other = instanceOf('one', { planId: 'fleet.dinosaurs.standard.x2' });
    await assert.rejects(broker.provision(other), { code: 'Conflict' });
  });

  test('of one name on two platforms have different names in the organisation', async () => {
    await broker.provision(instanceOf('two'));
    assert.match(rowOf(fleet.deps, 'two').spec.name ?? '', /^my-db-/);
    const asked = instanceOf('three', { parameters: { name: 'my-db' } });
    await assert.rejects(broker.provision(asked), { code: 'BadRequest', message: 'Instance name is already used' });
  });

  for (const [parameters, message] of [
    [{ regoin: 'x' }, 'there is no parameter "regoin"; did you mean "region"?'],
    [{ constructor: 'x' }, 'there is no parameter "constructor"'],
    [{ multi_az: 'yes' }, 'the parameter "multi_az" must be a boolean'],
    [{ name: 7 }, 'the parameter "name" must be a string'],
  ] as const) {
    test(`are rejected with ${JSON.stringify(parameters)}`, async () => {
      await assert.rejects(broker.provision(instanceOf('bad', { parameters })), { code: 'BadRequest', message });
      const one = instanceOf('one');
      await assert.rejects(broker.update(one, { parameters }), { code: 'BadRequest', message });
    });
  }

  test('are within the quota of the organisation, whichever API', async () => {
    for (const name of ['c', 'd', 'e']) await fleet.create(name);
    const rest = await fleet.create('f').then(
      () => assert.fail('it is beyond the quota'),
      (error: Error) => error.message,
    );
    await assert.rejects(broker.provision(instanceOf('four')), { code: 'BadRequest', message: rest });
    for (const name of ['c', 'd', 'e']) {
      const row = [...fleet.deps.registry.instances.all()].find(({ spec }) => spec.name === name) ?? assert.fail();
      await changeInstance(fleet.deps, row.id, () => [{ type: 'delete', by: 'user' }]);
    }
  });

  test('have instances of the REST API among theirs, in the tenant of the organisation', async () => {
    const seen = new Set<string>();
    const stop = broker.objects?.listen({ changed: id => seen.add(id), completed: () => undefined });
    const { id } = await fleet.create('native', { organisation: 'plain' });
    await eventually(() => seen.has(id));
    const object = await broker.objects?.get(id);
    assert.equal(object?.isProvisioned, false);
    assert.equal(object?.username, 'zoe');
    assert.equal(object?.tenant, 'plain');
    assert.equal((await broker.objects?.get('one'))?.tenant, 'acme');
    assert.equal((await broker.objects?.get('one'))?.isProvisioned, true);
    stop?.();
  });

  test('give host and routes to bindings when they are ready, and go when they are deprovisioned', async () => {
    assert.equal(await broker.bind('one', 'b', {}), 'in progress');
    const routes = [{ domain: 'one.example.org', router: 'r.example.org' }];
    await forceStatus(fleet, 'one', { state: 'ready', host: 'one.example.org', routes });
    assert.deepEqual(await broker.bind('one', 'b', {}), {
      id: 'one',
      host: 'one.example.org',
      uri: 'https://one.example.org',
      routes,
    });
    await forceStatus(fleet, 'one', { adminUrl: 'https://one.example.org:30443/' });
    assert.equal(((await broker.bind('one', 'b', {})) as { uri?: string }).uri, 'https://one.example.org:30443');
    assert.deepEqual(await broker.deprovision('one'), { state: 'in progress' });
    assert.equal(rowOf(fleet.deps, 'one').status.state, 'deprovision');
    assert.deepEqual(await broker.deprovision('nobody'), { state: 'done' });
  });
});
