import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createAzureSigner, createJoiner } from '../joins/test-documents.ts';
import { azureNonce } from '../joins/verify-azure.ts';
import { type MachineJoin, machineJoins } from '../kinds/machine-join.ts';
import { joinPlace } from '../model/joins/join-proof.ts';
import { audience, type JoinClouds, namespace, startJoinClouds, startJoinWorld } from './test-join-world.ts';

let clouds: JoinClouds;
before(async () => {
  clouds = await startJoinClouds();
});
after(() => clouds[Symbol.asyncDispose]());

const start = () => startJoinWorld(clouds);

const later = (time: string): string => new Date(Date.parse(time) + 1000).toISOString();

describe('A machine that joins', () => {
  test('gets a token of the service account of its rule, and another one with the same key', async () => {
    await using world = await start();
    const url = `/mesh/v1/clusters/${world.cluster}/namespaces/${namespace}/joins`;
    assert.deepEqual((await world.host.app.inject({ url })).json(), { audience });
    for (const [rule, document] of [
      ['google', clouds.issuer.token(audience)],
      ['aws', clouds.aws.document()],
      ['azure', await clouds.azure.document(azureNonce(audience))],
    ] as const) {
      const joiner = createJoiner();
      const first = world.statement(rule, document);
      const joined = await world.post(joiner.request(first));
      assert.equal(joined.status, 201, world.reasons.join());
      assert.equal(joined.body['serviceAccount'], 'books');
      const [, claims = ''] = (joined.body['token'] ?? '').split('.');
      const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { readonly sub?: string };
      assert.equal(sub, `system:serviceaccount:${namespace}:books`);
      const again = await world.post(joiner.request({ ...first, time: later(first.time) }));
      assert.equal(again.status, 201, world.reasons.join());
    }
    const { items } = await world.client.list({ ...machineJoins.ref, namespace });
    assert.equal(items.length, 3);
  });

  test('may have its attested data signed with attributes, and with a hash of its own', async () => {
    const nonce = azureNonce(audience);
    for (const more of [{ hasAttributes: true }, { digest: '2.16.840.1.101.3.4.2.1' }]) {
      await using world = await start();
      const document = await clouds.azure.document(nonce, more);
      const { status } = await world.post(createJoiner().request(world.statement('azure', document)));
      assert.equal(status, 201, world.reasons.join());
    }
  });

  test('is denied with a request that was used before, and with a key that is not that of its first join', async () => {
    await using world = await start();
    const request = createJoiner().request(world.statement('aws', clouds.aws.document()));
    assert.equal((await world.post(request)).status, 201);
    assert.equal((await world.post(request)).status, 403);
    const thief = createJoiner().request(world.statement('aws', clouds.aws.document()));
    assert.equal((await world.post(thief)).status, 403);
    assert.match(world.reasons.join(), /was used before.*another key/);
  });

  test('joins by several rules with one key, and a document that others have seen is of no use with any of them', async () => {
    await using world = await start();
    await world.rule('other', { aws: { accountId: '123456789012' } });
    const document = clouds.aws.document();
    const ofOther = () => ({ ...world.statement('aws', document), rule: 'other' });
    const machine = createJoiner();
    assert.equal((await world.post(machine.request(world.statement('aws', document)))).status, 201);
    assert.equal((await world.post(createJoiner().request(ofOther()))).status, 403);
    assert.match(world.reasons.join(), /another key/);
    const second = machine.request(ofOther());
    assert.equal((await world.post(second)).status, 201, world.reasons.join());
    assert.equal((await world.post(second)).status, 403);
    const { items } = await world.client.list<MachineJoin>({ ...machineJoins.ref, namespace });
    assert.deepEqual(
      items.map(({ spec }) => spec.rules.map(({ name }) => name)),
      [['aws', 'other']],
    );
  });

  test('may join by several rules at the same time', async () => {
    await using world = await start();
    const names = ['r1', 'r2', 'r3', 'r4'];
    for (const name of names) await world.rule(name, { aws: { accountId: '123456789012' } });
    const joiner = createJoiner();
    const document = clouds.aws.document();
    const requests = names.map(rule => joiner.request({ ...world.statement('aws', document), rule }));
    const responses = await Promise.all(requests.map(request => world.post(request)));
    assert.deepEqual(
      responses.map(({ status }) => status),
      [201, 201, 201, 201],
      world.reasons.join(),
    );
  });
});

const hour = 3_600_000;
/** A time in claims, so many seconds from now. */
const seconds = (fromNow: number): number => Math.floor(Date.now() / 1000) + fromNow;

/** A document with another signature. */
const signedWith = (document: string, signature: string): string =>
  JSON.stringify({ ...(JSON.parse(document) as object), signature });

/** Attested data with other digits of the subscription. */
function changed(attested: string): string {
  const der = Buffer.from(attested, 'base64');
  der.write('2', der.indexOf('11111111-2222'));
  return der.toString('base64');
}

const cases: readonly {
  readonly why: string;
  readonly rule: string;
  readonly document: () => string | Promise<string>;
  readonly more?: { readonly place?: string; readonly time?: string };
  readonly reason: RegExp;
}[] = [
  {
    why: 'a forged token',
    rule: 'google',
    document: () => clouds.issuer.token(audience, { isForged: true }),
    reason: /signature/i,
  },
  {
    why: 'a token for another landscape',
    rule: 'google',
    document: () => clouds.issuer.token('chandlery-mesh/other'),
    reason: /audience|meant for/i,
  },
  {
    why: 'an expired token',
    rule: 'google',
    document: () => clouds.issuer.token(audience, { claims: { exp: seconds(-60) } }),
    reason: /expired/i,
  },
  {
    why: 'a token that never expires',
    rule: 'google',
    document: () => clouds.issuer.token(audience, { claims: { exp: undefined } }),
    reason: /no claim exp/,
  },
  {
    why: 'a token that is not valid yet',
    rule: 'google',
    document: () => clouds.issuer.token(audience, { claims: { nbf: seconds(600) } }),
    reason: /not valid yet/,
  },
  {
    why: 'a token of another issuer',
    rule: 'google',
    document: () => clouds.issuer.token(audience, { claims: { iss: 'https://accounts.google.com' } }),
    reason: /was not issued by/,
  },
  {
    why: 'a token of a service account that has no machine',
    rule: 'google',
    document: () =>
      clouds.issuer.token(audience, { claims: { google: undefined, email: 'mesh@shop-prod.example.com' } }),
    reason: /not that of a machine/,
  },
  {
    why: 'a token whose machine is no object',
    rule: 'google',
    document: () => clouds.issuer.token(audience, { claims: { google: { compute_engine: ['shop-prod'] } } }),
    reason: /not that of a machine/,
  },
  {
    why: 'a machine of another project',
    rule: 'google',
    document: () => clouds.issuer.token(audience, { machine: { project_id: 'other-project' } }),
    reason: /project "other-project"/,
  },
  {
    why: 'a machine of another zone',
    rule: 'google',
    document: () => clouds.issuer.token(audience, { machine: { zone: 'us-east1-c' } }),
    reason: /zone/,
  },
  {
    why: 'a token of a machine without an id',
    rule: 'google',
    document: () => clouds.issuer.token(audience, { machine: { instance_id: '' } }),
    reason: /lacks/,
  },
  {
    why: 'a changed document',
    rule: 'aws',
    document: () => clouds.aws.document().replace('0123456789abcdef0', 'fedcba98765432100'),
    reason: /has not signed/,
  },
  {
    why: 'a machine of another account',
    rule: 'aws',
    document: () => clouds.aws.document({ accountId: '999999999999' }),
    reason: /account "999999999999"/,
  },
  {
    why: 'a region without a certificate',
    rule: 'aws',
    document: () => clouds.aws.document({ region: 'us-west-2' }),
    reason: /no certificate/,
  },
  {
    why: 'a document that the key of another region has signed',
    rule: 'aws',
    document: () => clouds.aws.document({ region: 'us-east-1' }),
    reason: /has not signed/,
  },
  {
    why: 'a machine of another region',
    rule: 'aws',
    document: () => clouds.awsElsewhere.document({ region: 'us-east-1' }),
    reason: /region "us-east-1"/,
  },
  {
    why: 'a signature of another kind, that of a signed message',
    rule: 'aws',
    document: async () => signedWith(clouds.aws.document(), await clouds.azure.document(azureNonce(audience))),
    reason: /has not signed/,
  },
  {
    why: 'an empty signature',
    rule: 'aws',
    document: () => signedWith(clouds.aws.document(), ''),
    reason: /has not signed/,
  },
  {
    why: 'the first join long after the launch',
    rule: 'aws',
    document: () => clouds.aws.document({ pendingTime: new Date(Date.now() - 2 * hour).toISOString() }),
    reason: /launched more than 60 minutes ago/,
  },
  {
    why: 'attested data for another landscape',
    rule: 'azure',
    document: () => clouds.azure.document(azureNonce('chandlery-mesh/other')),
    reason: /another landscape/,
  },
  {
    why: 'attested data of another subscription',
    rule: 'azure',
    document: () => clouds.azure.document(azureNonce(audience), { subscriptionId: 'other' }),
    reason: /subscription "other"/,
  },
  {
    why: 'attested data that has expired',
    rule: 'azure',
    document: () => clouds.azure.document(azureNonce(audience), { lifeMs: -60_000 }),
    reason: /expired/,
  },
  {
    why: 'attested data without a nonce',
    rule: 'azure',
    document: () => clouds.azure.document(undefined),
    reason: /another landscape/,
  },
  {
    why: 'attested data that was changed',
    rule: 'azure',
    document: async () => changed(await clouds.azure.document(azureNonce(audience))),
    reason: /signature is wrong/,
  },
  {
    why: 'attested data with attributes that was changed',
    rule: 'azure',
    document: async () => changed(await clouds.azure.document(azureNonce(audience), { hasAttributes: true })),
    reason: /content was changed/,
  },
  {
    why: 'attested data that names SHA-1',
    rule: 'azure',
    document: () => clouds.azure.document(azureNonce(audience), { digest: '1.3.14.3.2.26' }),
    reason: /not signed with SHA-256/,
  },
  {
    why: 'attested data that names RSA with SHA-1',
    rule: 'azure',
    document: () => clouds.azure.document(azureNonce(audience), { digest: '1.2.840.113549.1.1.5' }),
    reason: /not signed with SHA-256/,
  },
  {
    why: 'attested data that names another hash than that of its signature',
    rule: 'azure',
    document: () => clouds.azure.document(azureNonce(audience), { digest: '2.16.840.1.101.3.4.2.3' }),
    reason: /signature is wrong/,
  },
  {
    why: 'attested data of an unknown signer',
    rule: 'azure',
    document: async () => {
      await using other = await createAzureSigner();
      return await other.document(azureNonce(audience));
    },
    reason: /signer is not trusted/,
  },
  {
    why: 'something that is no signed message',
    rule: 'azure',
    document: () => Buffer.from('0').toString('base64'),
    reason: /./,
  },
  {
    why: 'a rule of another cloud',
    rule: 'google',
    document: () => clouds.aws.document(),
    reason: /./,
  },
  {
    why: 'a proof for another namespace',
    rule: 'aws',
    document: () => clouds.aws.document(),
    more: { place: joinPlace(audience, 'j1', 'other') },
    reason: /has not signed the request/,
  },
  {
    why: 'an old proof',
    rule: 'aws',
    document: () => clouds.aws.document(),
    more: { time: new Date(Date.now() - hour).toISOString() },
    reason: /is not now/,
  },
];

describe('A machine may not join', () => {
  for (const { why, rule, document, more, reason } of cases) {
    test(`with ${why}, and does not learn why`, async () => {
      await using world = await start();
      const { status, body } = await world.post(createJoiner().request(world.statement(rule, await document(), more)));
      assert.equal(status, 403);
      assert.match(world.reasons.join(), reason);
      assert.match(body['message'] ?? '', /^the machine may not join/);
      assert.deepEqual((await world.client.list({ ...machineJoins.ref, namespace })).items, []);
    });
  }

  test('a cluster, namespace or rule that does not exist, all with the same response', async () => {
    await using world = await start();
    const own = { cluster: world.cluster, namespace };
    const places = [
      { ...own, cluster: 'missing' },
      { ...own, namespace: 'missing' },
    ];
    const responses = await Promise.all(
      places.map(place => {
        const target = { place: joinPlace(audience, place.cluster, place.namespace) };
        return world.post(createJoiner().request(world.statement('aws', clouds.aws.document(), target)), place);
      }),
    );
    const missingRule = { ...world.statement('aws', clouds.aws.document()), rule: 'missing' };
    responses.push(await world.post(createJoiner().request(missingRule)));
    assert.deepEqual(
      responses.map(({ status }) => status),
      [403, 403, 403],
    );
    assert.equal(new Set(responses.map(({ body }) => JSON.stringify(body))).size, 1);
  });

  test('with a body that is no request', async () => {
    await using world = await start();
    assert.equal((await world.post({ rule: 'aws' })).status, 400);
  });
});
