import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { brokersTable, pathOf } from './support/brokers-table.ts';
import {
  type BrokerIdentity,
  type BrokersWorld,
  bind,
  inTenant,
  marker,
  osbHeaders,
  provision,
  startBrokersWorld,
} from './support/brokers-world.ts';
import { filesWith, holdsAny } from './support/find-bytes.ts';
import { findLeaks } from './support/find-leaks.ts';
import { expectStatus } from './support/objects.ts';

let world: BrokersWorld;
/** Everything that must not be found, by what it is. */
let secrets: Record<string, string>;

before(async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  world = await startBrokersWorld(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const { platformPasswords, ...planted } = world.planted;
  const bindings = ['binding-of-a', 'binding-of-b', 'binding-of-t', world.ids['wb'] ?? ''];
  secrets = {
    ...planted,
    ...Object.fromEntries(platformPasswords.map((password, index) => [`password of platform ${index}`, password])),
    ...Object.fromEntries(bindings.map(id => [`credentials of ${id}`, `password-of-${id}`])),
    ...(await goWrong()),
  };
});
after(() => world?.[Symbol.asyncDispose]());

/**
 * Produces failures whose texts reach many readers: brokers that reject, disconnect and send invalid responses, and
 * malformed requests.
 */
async function goWrong(): Promise<Record<string, string>> {
  const { credential, wendy, operator } = world.callers;
  const { shop } = world.brokers;
  const made = {
    refusedParameters: marker(),
    asyncParameters: marker(),
    brokenBody: marker(),
    wrongPassword: marker(),
    rotatedPassword: marker(),
  };
  const path = `/v1/osb/${world.ids['shop']}/v2/service_instances`;
  for (const misbehaviour of [
    { type: 'answer', status: 500, body: 'nonsense' },
    { type: 'drop' },
    { type: 'drop-mid-body' },
  ] as const) {
    shop.misbehave(misbehaviour, { method: 'PUT' });
    const { status } = await credential.send(
      `${path}/refused-${misbehaviour.type}`,
      provision('', { secret: made.refusedParameters }),
    );
    assert.ok(status >= 500, String(status));
    shop.behave();
  }
  shop.misbehave({ type: 'answer', status: 400, body: { description: 'no' } }, { method: 'PUT' });
  const body = {
    name: 'refused',
    service_plan_id: world.ids['shop plan'],
    parameters: { secret: made.refusedParameters },
  };
  assert.ok((await wendy.send('/v1/service_instances', { body, headers: inTenant })).status >= 400);
  shop.behave();
  const later = { ...body, name: 'later', parameters: { secret: made.asyncParameters } };
  expectStatus(await wendy.send('/v1/service_instances?async=true', { body: later, headers: inTenant }), 202);
  const cut = `{"name":"x","parameters":{"a":"${made.brokenBody}"`;
  expectStatus(await wendy.send('/v1/service_instances', { body: cut, headers: inTenant }), 400);
  expectStatus(await credential.send(`${path}/broken`, { method: 'PUT', body: cut, headers: osbHeaders }), 400);
  const wrong = { basic: { username: 'shop-user', password: made.wrongPassword } };
  const url = { broker_url: shop.url, credentials: wrong };
  assert.ok((await operator.send('/v1/service_brokers', { body: { name: 'wrong', ...url } })).status >= 400);
  const unreachable = { name: 'nowhere', broker_url: 'http://127.0.0.1:1', credentials: wrong };
  assert.ok((await operator.send('/v1/service_brokers?async=true', { body: unreachable })).status < 500);
  shop.accept(
    { type: 'basic', username: 'shop-user', password: made.rotatedPassword },
    { type: 'basic', username: 'shop-user', password: world.planted.brokerPassword },
  );
  const rotated = { credentials: { basic: { username: 'shop-user', password: made.rotatedPassword } } };
  expectStatus(
    await operator.send(`/v1/service_brokers/${world.ids['shop']}`, { method: 'PATCH', body: rotated }),
    200,
  );
  return made;
}

test('the brokers are called with what was planted, so that it is there to be found', () => {
  const sentTo = (name: keyof BrokersWorld['brokers']) => JSON.stringify(world.brokers[name].requests);
  const basic = (password: string) => Buffer.from(`shop-user:${password}`).toString('base64');
  assert.ok(sentTo('shop').includes(basic(world.planted.brokerPassword)));
  assert.ok(sentTo('shop').includes(basic(secrets['rotatedPassword'] ?? '')));
  assert.ok(sentTo('depot').includes(world.planted.brokerToken));
  for (const name of ['osbParameters', 'restParameters', 'bindParameters', 'asyncParameters'])
    assert.ok(sentTo('shop').includes(secrets[name] ?? '-'), name);
  assert.ok(sentTo('shop').includes('signature'), 'contexts are signed');
});

test("no broker hears another broker's credentials, nor a platform's", () => {
  const heard = Object.entries(world.brokers).map(
    ([name, { requests }]) => [name, Buffer.from(JSON.stringify(requests))] as const,
  );
  for (const [name, bytes] of heard) {
    const foreign = [
      ...world.planted.platformPasswords,
      world.planted.credentialPassword,
      ...(name === 'shop' ? [] : [world.planted.brokerPassword, secrets['rotatedPassword'] ?? '']),
      ...(name === 'depot' ? [] : [world.planted.brokerToken]),
    ];
    assert.ok(!holdsAny(bytes, foreign), name);
  }
});

test('nobody is answered with a secret that is not their own', async () => {
  const mine: Partial<Record<BrokerIdentity, readonly string[]>> = {
    credential: ['credentials of binding-of-a', 'osbParameters', 'bindParameters'],
    wendy: [`credentials of ${world.ids['wb']}`, 'restParameters', 'bindParameters'],
    operator: [`credentials of ${world.ids['wb']}`, 'restParameters', 'osbParameters', 'bindParameters'],
  };
  const table = brokersTable({ provision: world.planted.osbParameters, bind: world.planted.bindParameters });
  for (const row of table) {
    const [method = ''] = row.route.split(' ');
    for (const [who, caller] of Object.entries(world.callers)) {
      const { text, headers } = await caller.send(pathOf(row, world.ids), { ...row.options, method });
      const bytes = Buffer.from(text + JSON.stringify(headers));
      const others = Object.entries(secrets).filter(([name]) => !mine[who as BrokerIdentity]?.includes(name));
      const found = others.filter(([, secret]) => holdsAny(bytes, [secret])).map(([name]) => name);
      assert.deepEqual(found, [], `${row.route} ${row.at ?? ''} as ${who}`);
    }
  }
});

test('no object, event, log line, audit entry or metric shows a secret', async () => {
  const { landscape, callers } = world;
  for (const [name, secret] of Object.entries(secrets))
    assert.deepEqual(await findLeaks(landscape, callers.operator, [secret]), [], name);
  const audit = await readFile(join(landscape.dataDir, 'audit.log'), 'utf8');
  for (const path of [
    '/v1/service_brokers',
    '/v1/credentials',
    `/v1/osb/${world.ids['shop']}/v2/service_instances/instance-of-a`,
  ])
    assert.ok(audit.includes(path), `${path} is in the audit log`);
});

test('the database holds no secret in clear, while the server runs and after it has ended', async () => {
  const { landscape } = world;
  assert.notDeepEqual(await filesWith(landscape.dataDir, ['binding-of-a']), [], 'the search itself works');
  const look = async (when: string) => {
    for (const [name, secret] of Object.entries(secrets))
      assert.deepEqual(await filesWith(landscape.dataDir, [secret]), [], `${name}, ${when}`);
  };
  await look('running');
  await landscape.stop();
  await look('stopped');
  await landscape.restart();
});

test('after a restart everything that was sealed is still of use', async () => {
  const { wendy, operator, credential, T } = world.callers;
  const binding = expectStatus(await wendy.send(`/v1/service_bindings/${world.ids['wb']}`), 200);
  assert.ok(binding.text.includes(`password-of-${world.ids['wb']}`));
  for (const name of ['shop', 'depot', 'vault'])
    expectStatus(
      await operator.send(`/v1/service_brokers/${world.ids[name]}`, { method: 'PATCH', body: {} }),
      200,
      name,
    );
  const bound = `/v1/osb/${world.ids['shop']}/v2/service_instances/instance-of-a/service_bindings/binding-of-a`;
  expectStatus(await credential.send(bound, bind('', { secret: world.planted.bindParameters })), 200);
  expectStatus(await T.send(`/v1/platforms/${world.ids['T']}`), 200);
});
