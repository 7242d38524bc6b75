import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import {
  type BrokersWorld,
  bind,
  inTenant,
  only,
  osbHeaders,
  provision,
  startBrokersWorld,
  tenant,
} from './support/brokers-world.ts';
import type { Caller, CallOptions } from './support/caller.ts';
import { create, expectStatus, groupPath } from './support/objects.ts';
import { conditionOf, mergePatch, type Stateful, secretsPath, until } from './support/tenants.ts';

let world: BrokersWorld;
before(async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  world = await startBrokersWorld(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
});
after(() => world?.[Symbol.asyncDispose]());

const types = [
  'platforms',
  'service_brokers',
  'visibilities',
  'service_offerings',
  'service_plans',
  'service_instances',
  'service_bindings',
  'operations',
];

/** Everything that a caller can read of the service manager: lists with every query, and every known id. */
async function allTexts(caller: Caller): Promise<string[]> {
  const { ids } = world;
  const questions = [
    '',
    '?max_items=0',
    '?attach_last_operations=true',
    "?fieldQuery=id%20ne%20''",
    "?labelQuery=a%20notin%20('b')",
    `?tenant=${tenant}`,
  ];
  const lists = types.flatMap(type => questions.map(question => `/v1/${type}${question}`));
  const single = types.flatMap(type => Object.values(ids).map(id => `/v1/${type}/${id}`));
  const texts: string[] = [];
  for (const path of [...lists, ...single]) {
    const { status, text } = await caller.send(path);
    if (status === 200) texts.push(`${path}: ${text}`);
  }
  return texts;
}

/** The rows that belong to one caller alone. */
const belongings = {
  A: ['A', 'instance-of-a', 'binding-of-a', 'operation of instance-of-a', 'operation of binding-of-a'],
  B: [
    'B',
    'instance-of-b',
    'binding-of-b',
    'depot visibility',
    'operation of instance-of-b',
    'operation of binding-of-b',
  ],
  T: ['T', 'instance-of-t', 'binding-of-t', 'vault', 'vault plan', 'vault offering', 'operation of instance-of-t'],
  tenant: ['wi', 'wb', 'operation of wi', 'operation of wb'],
};

const strangers = [
  { who: 'A', to: ['B', 'T', 'tenant'] },
  { who: 'B', to: ['A', 'T', 'tenant'] },
  { who: 'T', to: ['A', 'B', 'tenant'] },
  { who: 'bob', to: ['T', 'tenant'] },
  { who: 'credential', to: ['A', 'B', 'T', 'tenant'] },
] as const;
for (const { who, to } of strangers) {
  test(`${who} finds nothing of ${to.join(', ')} in anything that can be read`, async () => {
    const texts = await allTexts(world.callers[who]);
    const foreign = to.flatMap(owner => belongings[owner].map(name => world.ids[name] ?? name));
    for (const id of foreign) {
      const found = texts.find(text => text.split(': ').slice(1).join(': ').includes(id));
      assert.equal(found, undefined, id);
    }
  });
}

test('what a query finds does not depend on what others have', async () => {
  const guesses = [
    "id in ('instance-of-b')",
    "platform_id eq 'x' and id eq 'instance-of-b'",
    "name contains 'instance-of-b'",
  ];
  for (const guess of guesses) {
    const answer = await world.callers.A.send(`/v1/service_instances?fieldQuery=${encodeURIComponent(guess)}`);
    assert.deepEqual(answer.json(), { num_items: 0, items: [] }, guess);
  }
  for (const hidden of ['username', 'credentials', 'password']) {
    const answer = await world.callers.A.send(
      `/v1/platforms?fieldQuery=${encodeURIComponent(`${hidden} contains 'a'`)}`,
    );
    assert.equal(answer.status, 400, hidden);
  }
});

test("a platform reaches nothing of another platform's over OSB, at no broker and by no detour", async () => {
  const { A, credential } = world.callers;
  const { shop = '', depot = '' } = world.ids;
  const asked = world.brokers.depot.requests.length;
  const ids = '?service_id=database2-id&plan_id=database2-sync';
  const put = { ...provision('2', {}), method: 'PUT' };
  const bound = { ...bind('2', {}), method: 'PUT' };
  const instance = '/service_instances/instance-of-b';
  const attempts: [string, CallOptions][] = [
    [`${instance}${ids}`, { headers: osbHeaders }],
    [`${instance}/last_operation${ids}`, { headers: osbHeaders }],
    [instance, put],
    [instance, { method: 'PATCH', body: { service_id: 'database2-id' }, headers: osbHeaders }],
    [`${instance}${ids}`, { method: 'DELETE', headers: osbHeaders }],
    [`${instance}/service_bindings/binding-of-b${ids}`, { headers: osbHeaders }],
    [`${instance}/service_bindings/new`, bound],
    [`${instance}/service_bindings/binding-of-b`, bound],
    [`${instance}/service_bindings/binding-of-b${ids}`, { method: 'DELETE', headers: osbHeaders }],
    [`${instance}/service_bindings/binding-of-b/adapt_credentials`, { body: {}, headers: osbHeaders }],
    // The binding of another platform below an unknown instance.
    [`/service_instances/nobodys/service_bindings/binding-of-b${ids}`, { headers: osbHeaders }],
    [`/service_instances/nobodys/service_bindings/binding-of-b/last_operation${ids}`, { headers: osbHeaders }],
    [`/service_instances/nobodys/service_bindings/binding-of-b${ids}`, { method: 'DELETE', headers: osbHeaders }],
    // Other spellings of the same id.
    [`/service_instances/instance%2Dof%2Db${ids}`, { headers: osbHeaders }],
    [`/service_instances/x/../instance-of-b${ids}`, { headers: osbHeaders }],
    [`/service_instances/x%2F..%2Finstance-of-b/service_bindings/binding-of-b${ids}`, { headers: osbHeaders }],
  ];
  for (const [path, options] of attempts) {
    const answer = await A.send(`/v1/osb/${depot}/v2${path}`, options);
    assert.ok([400, 404].includes(answer.status), `${path}: ${answer.status} ${answer.text}`);
    const there = await credential.send(`/v1/osb/${shop}/v2${path.replaceAll('database2', 'database')}`, options);
    assert.ok([400, 404].includes(there.status), `at shop ${path}: ${there.status} ${there.text}`);
  }
  assert.equal(world.brokers.depot.requests.length, asked, 'the broker of B heard of it');
});

test('a plan that is not open to a platform cannot be had', async () => {
  const answer = await world.callers.A.send(
    `/v1/osb/${world.ids['depot']}/v2/service_instances/wanted`,
    provision('2', {}),
  );
  assert.equal(answer.status, 404);
  const other = await world.callers.B.send(
    `/v1/osb/${world.ids['vault']}/v2/service_instances/wanted`,
    provision('3', {}),
  );
  assert.equal(other.status, 404);
  const bob = { 'x-chandlery-tenant': 'project-bobs--ws-north' };
  const body = { name: 'wanted', service_plan_id: world.ids['vault plan'] };
  expectStatus(await world.callers.bob.send('/v1/service_instances', { body, headers: bob }), 404);
});

test('a platform hears of what concerns it and of nothing else', async () => {
  const { operator } = world.callers;
  const heard = new Map<string, string>();
  const streams = await Promise.all(
    (['A', 'B', 'T'] as const).map(async who => {
      const headers = { accept: 'application/x-ndjson' };
      const stream = await world.callers[who].open('/v1/notifications', { headers });
      assert.equal(stream.statusCode, 200, who);
      stream.body.on('data', (chunk: Buffer) => heard.set(who, (heard.get(who) ?? '') + chunk.toString()));
      stream.body.on('error', () => undefined);
      return stream;
    }),
  );
  const plan = await only(operator, 'service_plans', "catalog_id eq 'database2-async'");
  for (const who of ['A', 'B', 'T']) {
    const body = { platform_id: world.ids[who], service_plan_id: plan['id'], labels: { only: [`for-${who}-alone`] } };
    expectStatus(await operator.send('/v1/visibilities', { body }), 201);
  }
  expectStatus(
    await operator.send(`/v1/service_brokers/${world.ids['vault']}`, {
      method: 'PATCH',
      body: { description: 'of-the-tenant' },
    }),
    200,
  );
  await eventually(() => (heard.get('T') ?? '').includes('of-the-tenant'));
  for (const who of ['A', 'B', 'T']) {
    const text = heard.get(who) ?? '';
    assert.ok(text.includes(`for-${who}-alone`), who);
    for (const other of ['A', 'B', 'T'])
      if (other !== who) assert.ok(!text.includes(`for-${other}-alone`), `${who}: ${text}`);
    assert.equal(text.includes('of-the-tenant'), who === 'T', who);
    for (const secret of [world.planted.brokerPassword, world.planted.brokerToken, world.planted.clientKey])
      assert.ok(!text.includes(secret), who);
  }
  for (const { body } of streams) body.destroy();
});

const kinds = (plural: string, namespace: string) =>
  `${groupPath('onboarding', 'brokers.chandlery.io/v1alpha1', namespace)}/${plural}`;
const object = (kind: string, name: string, spec: object) => ({
  apiVersion: 'brokers.chandlery.io/v1alpha1',
  kind,
  metadata: { name },
  spec,
});
const bobs = 'project-bobs--ws-north';
const isStated = (thing: Stateful): boolean => ['True', 'False'].includes(conditionOf(thing, 'Ready')?.status ?? '');

test("by kubectl nobody binds another tenant's instance, directly or through a reference of their own making", async () => {
  const { bob, operator } = world.callers;
  const victim = world.ids['wi'] ?? '';
  const shared = await only(operator, 'service_plans', "catalog_id eq 'database-shared'");
  const reference = await only(
    operator,
    'service_plans',
    `name eq 'reference-instance' and service_offering_id eq '${String(shared['service_offering_id'])}'`,
  );
  for (const planId of [shared['id'], reference['id']])
    expectStatus(await operator.send('/v1/visibilities', { body: { service_plan_id: planId } }), 201);
  await create(bob, kinds('servicebindings', bobs), object('ServiceBinding', 'direct', { instanceId: victim }));
  const specs = { 'by-plan': { planId: reference['id'] }, 'by-id': { planId: world.ids['shop plan'] } };
  for (const [name, spec] of Object.entries(specs)) {
    const instance = object('ServiceInstance', name, { ...spec, referencedInstanceId: victim });
    await create(bob, kinds('serviceinstances', bobs), instance);
    await until(bob, `${kinds('serviceinstances', bobs)}/${name}`, isStated);
    await create(bob, kinds('servicebindings', bobs), object('ServiceBinding', `bind-${name}`, { instanceId: name }));
  }
  for (const name of ['direct', 'bind-by-plan', 'bind-by-id']) {
    const found = await until(bob, `${kinds('servicebindings', bobs)}/${name}`, isStated);
    assert.equal(conditionOf(found, 'Ready')?.status, 'False', name);
  }
  assertOnlyOwnBindings(victim);
});

test("by kubectl nobody turns an instance or a binding of their own into another tenant's", async () => {
  const { bob } = world.callers;
  const victim = world.ids['wi'] ?? '';
  const own = { planId: world.ids['shop plan'] };
  await create(bob, kinds('serviceinstances', bobs), object('ServiceInstance', 'own', own));
  const isReady = (thing: Stateful) => conditionOf(thing, 'Ready')?.status === 'True';
  await until(bob, `${kinds('serviceinstances', bobs)}/own`, isReady);
  await create(bob, kinds('servicebindings', bobs), object('ServiceBinding', 'own-binding', { instanceId: 'own' }));
  await until(bob, `${kinds('servicebindings', bobs)}/own-binding`, isReady);
  const patch = (body: object) => ({
    method: 'PATCH',
    body,
    headers: { 'content-type': 'application/merge-patch+json' },
  });
  await bob.send(`${kinds('servicebindings', bobs)}/own-binding`, patch({ spec: { instanceId: victim } }));
  await bob.send(`${kinds('serviceinstances', bobs)}/own`, patch({ spec: { referencedInstanceId: victim } }));
  await bob.send('/v1/service_bindings/own-binding/parameters');
  const body = { name: 'stolen', service_instance_id: 'own' };
  const answer = await bob.send('/v1/service_bindings', { body, headers: { 'x-chandlery-tenant': bobs } });
  assert.ok(answer.status >= 400, answer.text);
  await bob.send(`${kinds('servicebindings', bobs)}/own-binding`, { method: 'DELETE' });
  await eventually(async () => (await bob.send(`${kinds('servicebindings', bobs)}/own-binding`)).status === 404);
  assertOnlyOwnBindings(victim);
});

/** The broker knows no binding of the victim's instance but the victim's, and no secret of it has come elsewhere. */
function assertOnlyOwnBindings(victim: string): void {
  const bindings = [...world.brokers.shop.bindings.values()].filter(({ instanceId }) => instanceId === victim);
  assert.deepEqual(
    bindings.map(({ id }) => id),
    [world.ids['wb']],
  );
  const calls = world.brokers.shop.requests.filter(
    ({ url }) => url.includes(victim) && url.includes('service_bindings'),
  );
  assert.ok(
    calls.every(({ url }) => url.includes(world.ids['wb'] ?? '-')),
    calls.map(({ url }) => url).join('\n'),
  );
}

test('members write no status, and viewers write nothing', async () => {
  const { wendy, vera } = world.callers;
  const path = `${kinds('serviceinstances', tenant)}/${world.ids['wi']}`;
  const forged = { status: { ready: true, context: { forged: true } } };
  const patch = { method: 'PATCH', body: forged, headers: { 'content-type': 'application/merge-patch+json' } };
  assert.equal((await wendy.send(`${path}/status`, patch)).status, 403);
  expectStatus(await wendy.send(path, patch), 200);
  assert.ok(!(await wendy.send(path)).text.includes('forged'));
  assert.equal((await vera.send(path, patch)).status, 403);
  assert.equal((await vera.send(secretsPath(tenant))).status, 403);
  for (const plural of ['platforms', 'servicebrokers', 'visibilities', 'brokerplatformcredentials', 'notifications'])
    for (const who of [wendy, vera]) assert.equal((await who.send(kinds(plural, tenant))).status, 403, plural);
  const body = { name: 'x', service_plan_id: world.ids['shop plan'] };
  assert.equal((await vera.send('/v1/service_instances', { body, headers: inTenant })).status, 403);
});

test('by kubectl nobody gives an object the marks by which the service manager knows its instances', async () => {
  const { bob, operator } = world.callers;
  const path = kinds('serviceinstances', bobs);
  const marks = { labels: { 'osb.chandlery.io/instance': 'a' } };
  const marked = (name: string) => {
    const { metadata, ...rest } = object('ServiceInstance', name, { planId: 'none' });
    return { ...rest, metadata: { ...metadata, ...marks } };
  };
  const refused = expectStatus(await bob.send(path, { body: marked('marked') }), 403);
  assert.match(refused.text, /osb\.chandlery\.io\/instance.*service manager alone/);
  await create(bob, path, object('ServiceInstance', 'plain', { planId: 'none' }));
  const patch = mergePatch({ metadata: marks });
  expectStatus(await bob.send(`${path}/plain`, patch), 403);
  expectStatus(await operator.send(`${path}/plain`, patch), 200);
  const removal = mergePatch({ metadata: { labels: { 'osb.chandlery.io/instance': null } } });
  expectStatus(await bob.send(`${path}/plain`, removal), 403);
  expectStatus(await bob.send(`${path}/plain`, mergePatch({ metadata: { labels: { tier: 'gold' } } })), 200);
});

test("what names another tenant's instance does not keep its owner from deleting it", async () => {
  const { bob, wendy } = world.callers;
  const planId = world.ids['shop plan'];
  const made = await wendy.send('/v1/service_instances?async=false', {
    body: { name: 'besieged', service_plan_id: planId },
    headers: inTenant,
  });
  const { id } = JSON.parse(expectStatus(made, 201).text) as { id: string };
  await create(bob, kinds('servicebindings', bobs), object('ServiceBinding', 'siege', { instanceId: id }));
  await create(
    bob,
    kinds('serviceinstances', bobs),
    object('ServiceInstance', 'siege-tower', { planId, referencedInstanceId: id }),
  );
  expectStatus(
    await wendy.send(`/v1/service_instances/${id}?async=false`, { method: 'DELETE', headers: inTenant }),
    200,
  );
});
