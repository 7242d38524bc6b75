import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type BrokerRow, brokersTable, knownIdentities, pathOf, unknownIdentities } from './support/brokers-table.ts';
import { type BrokerIdentity, type BrokersWorld, startBrokersWorld } from './support/brokers-world.ts';
import type { Answer } from './support/caller.ts';

let world: BrokersWorld;
let table: readonly BrokerRow[];

before(async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  world = await startBrokersWorld(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  table = brokersTable({ provision: world.planted.osbParameters, bind: world.planted.bindParameters });
  const adapted = { type: 'answer', status: 200, body: { credentials: { form: 'other' } } } as const;
  world.brokers.shop.misbehave(adapted, { path: /adapt_credentials/, times: Number.POSITIVE_INFINITY });
});
after(() => world?.[Symbol.asyncDispose]());

const send = (row: BrokerRow, who: BrokerIdentity): Promise<Answer> => {
  const [method = ''] = row.route.split(' ');
  return world.callers[who].send(pathOf(row, world.ids), { ...row.options, method });
};

test('the table has every route that is served, and no other', async () => {
  const answer = await world.callers.nobody.send('/openapi/service-manager.json');
  const { paths } = answer.json<{ paths: Record<string, object> }>();
  const served = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map(method => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual([...new Set(table.map(({ route }) => route))].sort(), served.sort());
});

test('everybody gets from every route what the table says, and those who are not known get nothing', async () => {
  const wrong: string[] = [];
  for (const row of table) {
    const expected = new Map<BrokerIdentity, number>([
      ...unknownIdentities.map(who => [who, row.isPublic === true ? 200 : 401] as const),
      ...knownIdentities.map((who, index) => [who, row.statuses[index] ?? 0] as const),
    ]);
    for (const [who, status] of expected) {
      const answer = await send(row, who);
      if (answer.status === status) continue;
      wrong.push(
        `${row.route} ${row.at ?? ''} as ${who}: ${answer.status}, not ${status}: ${answer.text.slice(0, 200)}`,
      );
    }
  }
  assert.deepEqual(wrong, []);
});

test('credentials for one broker are nothing at another one, nor anywhere else', async () => {
  const { credential } = world.callers;
  for (const path of ['/clusters/onboarding/api/v1/namespaces', '/clusters/platform/api', '/metrics'])
    assert.equal((await credential.send(path)).status, 401, path);
  for (const who of ['A', 'B', 'T'] as const) {
    const answer = await world.callers[who].send('/clusters/onboarding/api/v1/namespaces');
    assert.equal(answer.status, 401, who);
  }
});

test('whoever only looks at a tenant sees its bindings without their credentials', async () => {
  const path = `/v1/service_bindings/${world.ids['wb']}`;
  const password = `password-of-${world.ids['wb']}`;
  const seen = async (who: BrokerIdentity, at = path) => (await world.callers[who].send(at)).text.includes(password);
  assert.equal(await seen('wendy'), true);
  assert.equal(await seen('operator'), true);
  for (const who of ['vera', 'bob', 'A', 'B', 'T'] as const) assert.equal(await seen(who), false, who);
  for (const who of ['wendy', 'operator'] as const) assert.equal(await seen(who, '/v1/service_bindings'), false, who);
});
