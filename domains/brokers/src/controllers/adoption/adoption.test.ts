import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject, KubeObject } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import { brokerKinds } from '../../kinds/index.ts';
import { bindingsOf, referencesOf } from '../../model/sharing/rows-of-instance.ts';
import { seedBinding, seedBroker, seedInstance, seedTenant, seedVisibility } from '../../test-registry.ts';
import { startTestEngine, type TestEngine } from '../operations/test-engine.ts';
import { startAdoption } from './start-adoption.ts';

let world: TestEngine;
let adoption: AsyncDisposable;

before(async () => {
  world = await startTestEngine();
  await seedTenant(world.test.client, 'acme');
  await seedVisibility(world.registry, { spec: { planId: world.plan('database', 'sync').id } });
  await seedVisibility(world.registry, { spec: { planId: world.plan('database', 'shared').id } });
  world.engine();
  adoption = startAdoption({ registry: world.registry, settings: world.settings, logger: world.logger });
});

after(async () => {
  await adoption[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

type Kind = 'instances' | 'bindings' | 'platforms';

const refOf = (table: Kind, name: string, namespace = 'acme') => ({ ...brokerKinds[table].ref, namespace, name });

const kubectlCreate = (table: Kind, name: string, spec: object): Promise<KubeObject> => {
  const { apiVersion, kind, ref } = brokerKinds[table];
  return world.test.client.create(
    { ...ref, namespace: 'acme' },
    {
      apiVersion,
      kind,
      metadata: { name },
      spec,
    },
  );
};

const kubectlPatch = (table: Kind, name: string, spec: JsonObject) =>
  world.test.client.patch(refOf(table, name), { type: 'merge', body: { spec } });

const kubectlDelete = (table: Kind, name: string) => world.test.client.delete(refOf(table, name));

interface VisibilitySnapshot {
  readonly status?: {
    readonly conditions?: readonly { type: string; status: string; reason: string; message: string }[];
  };
}

async function notified(table: Kind, name: string, type: string, reason: string) {
  return eventually(
    async () => {
      const object = await world.test.client.get<KubeObject & VisibilitySnapshot>(refOf(table, name));
      return object.status?.conditions?.find(condition => condition.type === type && condition.reason === reason);
    },
    { what: `condition ${type} with reason ${reason} of ${name}` },
  );
}

const gone = (table: Kind, id: string) =>
  eventually(() => world.registry[table].get(id) === undefined, { what: `the end of ${id}` });

test('an instance made by kubectl is created, changed and deleted at its broker', async () => {
  const { broker, registry } = world;
  await kubectlCreate('instances', 'db', { offeringName: 'database', planName: 'sync', parameters: { size: 1 } });
  await notified('instances', 'db', 'Ready', 'Available');
  assert.deepEqual(broker.instances.get('db')?.parameters, { size: 1 });
  assert.equal(registry.instances.get('db')?.hasFinalizer, true);
  assert.equal(registry.instances.get('db')?.spec.planId, world.plan('database', 'sync').id);

  await kubectlPatch('instances', 'db', { planName: 'shared', parameters: { size: 2 } });
  await eventually(() => registry.instances.get('db')?.status.planId === world.plan('database', 'shared').id);
  assert.equal(broker.instances.get('db')?.planId, 'database-shared');
  assert.deepEqual(broker.instances.get('db')?.parameters, { size: 2 });
  await notified('instances', 'db', 'Synced', 'UpToDate');

  await kubectlDelete('instances', 'db');
  await gone('instances', 'db');
  assert.equal(broker.instances.has('db'), false);
});

test('a broker is told who ordered by kubectl, of instances and of bindings', async () => {
  const { broker } = world;
  const userInfo = { username: 'ann' };
  broker.forgetRequests();
  await kubectlCreate('instances', 'anns', { offeringName: 'database', planName: 'sync', userInfo });
  await notified('instances', 'anns', 'Ready', 'Available');
  await kubectlCreate('bindings', 'anns-too', { instanceId: 'anns', userInfo });
  await notified('bindings', 'anns-too', 'Ready', 'Available');
  const encoded = Buffer.from(JSON.stringify(userInfo)).toString('base64');
  const identities = broker.requests.map(({ headers }) => headers['x-broker-api-originating-identity']);
  assert.deepEqual(identities, Array(2).fill(`service-manager ${encoded}`));
});

test('going back from a change that failed reaches the broker, which may have carried it out in part', async () => {
  const { broker } = world;
  await kubectlCreate('instances', 'halfway', { offeringName: 'database', planName: 'sync', parameters: { size: 1 } });
  await notified('instances', 'halfway', 'Ready', 'Available');
  broker.misbehave(
    { type: 'answer', status: 400, body: { description: 'wrong size' } },
    { method: 'PATCH', acts: true },
  );
  await kubectlPatch('instances', 'halfway', { parameters: { size: 2 } });
  await notified('instances', 'halfway', 'Synced', 'UpdateFailed');
  assert.deepEqual(broker.instances.get('halfway')?.parameters, { size: 2 });
  await kubectlPatch('instances', 'halfway', { parameters: { size: 1 } });
  await eventually(() => JSON.stringify(broker.instances.get('halfway')?.parameters) === '{"size":1}', {
    what: 'the parameters at the broker',
  });
  await notified('instances', 'halfway', 'Synced', 'UpToDate');
});

test('labels changed by kubectl do not reach the broker, and the generation is said to be seen', async () => {
  const { broker, registry } = world;
  await kubectlCreate('instances', 'labelled', { offeringName: 'database', planName: 'sync' });
  await notified('instances', 'labelled', 'Ready', 'Available');
  broker.forgetRequests();
  await kubectlPatch('instances', 'labelled', { labels: { tier: ['gold'] } });
  await eventually(() => {
    const row = registry.instances.get('labelled');
    return row?.spec.labels !== undefined && row.generation === row.status.observedGeneration;
  });
  assert.deepEqual(broker.requests, []);
});

test('an instance whose plan is not there says so, and is made when the plan is opened to it', async () => {
  const hidden = world.plan('database', 'rotatable');
  await kubectlCreate('instances', 'early', { planId: hidden.id });
  const { message } = await notified('instances', 'early', 'Ready', 'PlanNotFound');
  assert.match(message, /service plan/);
  await seedVisibility(world.registry, { spec: { planId: hidden.id } });
  await notified('instances', 'early', 'Ready', 'Available');
});

const misspelt: readonly [why: string, spec: JsonObject, message: RegExp][] = [
  ['an offering', { offeringName: 'databse', planName: 'sync' }, /no offering "databse"; did you mean "database"\?$/],
  ['a plan', { offeringName: 'database', planName: 'sink' }, /"database" has no plan "sink"; did you mean "sync"\?$/],
  ['no plan', { offeringName: 'database' }, /spec\.planName is missing/],
  ['nothing', {}, /spec\.offeringName is missing/],
];
for (const [what, spec, expected] of misspelt) {
  test(`an instance that misspells or lacks ${what} says what is meant`, async () => {
    const name = `misspelt-${what.replace(' ', '-')}`;
    await kubectlCreate('instances', name, spec);
    const { message } = await notified('instances', name, 'Ready', 'PlanNotFound');
    assert.match(message, expected);
    await kubectlDelete('instances', name);
  });
}

test('a plan that several have the names of is said to be ambiguous, with the candidates', async () => {
  const { registry } = world;
  const plans = [world.plan('queue', 'sync'), world.plan('queue', 'async')];
  for (const { id } of plans) await seedVisibility(registry, { spec: { planId: id } });
  const [first, second] = plans;
  assert.ok(first && second);
  const other = await seedBroker(registry, {
    catalog: [{ id: 'q', name: 'queue', plans: [{ id: 'p', name: 'sync' }] }],
  });
  await seedVisibility(registry, { spec: { planId: other.plans[0]?.id ?? '' } });
  await kubectlCreate('instances', 'unclear', { offeringName: 'queue', planName: 'sync' });
  const { message } = await notified('instances', 'unclear', 'Ready', 'PlanAmbiguous');
  assert.ok(message.includes(first.id) && message.includes(other.plans[0]?.id ?? '-'), message);
  await kubectlPatch('instances', 'unclear', { brokerName: 'scripted' });
  await notified('instances', 'unclear', 'Ready', 'Available');
});

test('a binding made by kubectl before its instance waits for it; deleting the instance waits for the binding', async () => {
  const { broker, test: plane } = world;
  await kubectlCreate('bindings', 'key', { instanceId: 'late', secretName: 'late-key' });
  await notified('bindings', 'key', 'Ready', 'InstanceNotFound');
  await kubectlCreate('instances', 'late', { planId: world.plan('database', 'sync').id });
  await notified('bindings', 'key', 'Ready', 'Available');
  const secret = await plane.client.get({
    group: '',
    version: 'v1',
    plural: 'secrets',
    namespace: 'acme',
    name: 'late-key',
  });
  assert.ok((secret['data'] as Record<string, string>)['credentials.json']);

  await kubectlDelete('instances', 'late');
  await notified('instances', 'late', 'Synced', 'BindingsExist');
  assert.equal(broker.instances.has('late'), true);
  await kubectlDelete('bindings', 'key');
  await gone('bindings', 'key');
  await gone('instances', 'late');
  assert.equal(broker.instances.has('late'), false);
});

test('a creation that fails keeps the object, and is tried again until it works', async () => {
  const { broker, registry } = world;
  broker.misbehave({ type: 'answer', status: 500, body: {} }, { method: 'PUT', times: 2, acts: true });
  await kubectlCreate('instances', 'stubborn', { planId: world.plan('database', 'sync').id });
  await notified('instances', 'stubborn', 'Ready', 'Available');
  const states = [...registry.operations.by('resourceId', 'stubborn')].map(({ status }) => status.state).sort();
  assert.deepEqual(states, ['failed', 'failed', 'succeeded']);
});

test('a creation that the broker rejects is not retried before the object changes', async () => {
  const { broker, registry } = world;
  broker.misbehave({ type: 'answer', status: 400, body: { description: 'wrong size' } }, { method: 'PUT' });
  await kubectlCreate('instances', 'refused', { planId: world.plan('database', 'sync').id, parameters: { size: -1 } });
  const { message } = await notified('instances', 'refused', 'Ready', 'CreationFailed');
  assert.match(message, /wrong size/);
  assert.equal(registry.operations.count('resourceId', 'refused'), 1);
  await kubectlPatch('instances', 'refused', { parameters: { size: 1 } });
  await notified('instances', 'refused', 'Ready', 'Available');
});

test('a platform made by kubectl gets credentials, and goes when its instances have', async () => {
  const { registry } = world;
  await kubectlCreate('platforms', 'eu-1', { type: 'kubernetes' });
  await notified('platforms', 'eu-1', 'Ready', 'Available');
  const secret = await registry.readSecret('acme', 'platform-eu-1');
  // Others may read what is committed a moment before the tables show it.
  const row = await registry.platforms.until(
    'eu-1',
    found => found?.status.credentials !== undefined,
    AbortSignal.timeout(5000),
  );
  const { credentials } = row?.status ?? {};
  assert.equal(credentials?.username, secret?.['username']);
  assert.notEqual(credentials?.passwordHash, secret?.['password']);
  await seedInstance(registry, { id: 'theirs', spec: { platformId: 'eu-1' }, status: { ready: true } });
  await kubectlDelete('platforms', 'eu-1');
  await notified('platforms', 'eu-1', 'Synced', 'InstancesExist');
  const theirs = registry.instances.get('theirs');
  assert.ok(theirs);
  await registry.commit([{ type: 'remove', table: 'instances', row: theirs }]);
  await gone('platforms', 'eu-1');
  assert.equal(await registry.readSecret('acme', 'platform-eu-1'), undefined);
});

test('what was never begun goes at once when kubectl deletes it', async () => {
  await kubectlCreate('instances', 'nowhere', { planId: 'no-such-plan' });
  await notified('instances', 'nowhere', 'Ready', 'PlanNotFound');
  await kubectlDelete('instances', 'nowhere');
  await gone('instances', 'nowhere');
});

test("what names another tenant's instance does not hold that instance back", async () => {
  const { broker, registry, test: plane } = world;
  await seedTenant(plane.client, 'rival');
  const planId = world.plan('database', 'shared').id;
  await kubectlCreate('instances', 'owned', { planId });
  await notified('instances', 'owned', 'Ready', 'Available');
  await seedBinding(registry, { id: 'foreign-key', tenant: 'rival', spec: { instanceId: 'owned' } });
  const spec = { planId, referencedInstanceId: 'owned' };
  await seedInstance(registry, { id: 'foreign-reference', tenant: 'rival', spec, status: { ready: true } });
  const owned = registry.instances.get('owned');
  assert.ok(owned);
  assert.deepEqual([bindingsOf(registry, owned), referencesOf(registry, owned)], [[], []]);

  await kubectlDelete('instances', 'owned');
  await gone('instances', 'owned');
  assert.equal(broker.instances.has('owned'), false);
  assert.ok(registry.bindings.get('foreign-key'), "the other tenant's objects are its own");
  assert.ok(registry.instances.get('foreign-reference'));
});

test('a binding made by kubectl succeeds only a ready binding of the same instance', async () => {
  const { broker, registry } = world;
  const row = world.plan('database', 'rotatable');
  const spec = { ...row.spec, bindingRotatable: true };
  if (registry.visibilities.count('planId', row.id) === 0) await seedVisibility(registry, { spec: { planId: row.id } });
  await registry.commit([{ type: 'update', table: 'plans', row, spec }]);
  for (const name of ['rotated', 'other']) {
    await kubectlCreate('instances', name, { planId: row.id });
    await notified('instances', name, 'Ready', 'Available');
  }
  await kubectlCreate('bindings', 'of-other', { instanceId: 'other' });
  await notified('bindings', 'of-other', 'Ready', 'Available');
  await kubectlCreate('bindings', 'wrong', { instanceId: 'rotated', predecessorId: 'of-other' });
  const { message } = await notified('bindings', 'wrong', 'Ready', 'PredecessorNotUsable');
  assert.match(message, /same service instance/);
  assert.equal(broker.bindings.has('wrong'), false);

  await kubectlCreate('bindings', 'first', { instanceId: 'rotated' });
  await notified('bindings', 'first', 'Ready', 'Available');
  await kubectlCreate('bindings', 'second', { instanceId: 'rotated', predecessorId: 'first' });
  await notified('bindings', 'second', 'Ready', 'Available');
  assert.equal(broker.bindings.has('second'), true);
});

test('a binding made by kubectl of what the landscape offers names a service account, or is told so', async () => {
  const { registry } = world;
  const catalog = [{ id: 'memory', name: 'memory', plans: [{ id: 'memory-p', name: 'p' }] }];
  const { plans } = await seedBroker(registry, { spec: { internal: 'memory' }, catalog });
  const planId = plans[0]?.id ?? '';
  await seedInstance(registry, { id: 'of-landscape', tenant: 'acme', spec: { planId }, status: { ready: true } });
  const bindResource = { service_account: 'acme/web/1' };
  await kubectlCreate('bindings', 'misnamed', { instanceId: 'of-landscape', bindResource });
  const condition = await notified('bindings', 'misnamed', 'Ready', 'InvalidBindResource');
  assert.match(condition?.message ?? '', /"spec\.bindResource\.service_account" must name a service account/);
  assert.equal(registry.operations.count('resourceId', 'misnamed'), 0);
});
