import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { AtomicClient } from '@chandlery/client';
import { createHttpHost, silentLogger } from '@chandlery/http';
import { type Logger, silentLogger as quiet } from '@chandlery/platform';
import { startTestPlane, type TestPlane } from '@chandlery/testing';
import { createDocumentVerifier } from '../joins/identity-documents.ts';
import { createAwsSigner, createAzureSigner, createJoiner, startTestIssuer } from '../joins/test-documents.ts';
import { azureNonce } from '../joins/verify-azure.ts';
import { machineJoins } from '../kinds/machine-join.ts';
import { machineRules } from '../kinds/machine-rule.ts';
import { joinPlace } from '../model/joins/join-proof.ts';
import { addJoinRoute } from './join-route.ts';

const audience = 'chandlery-mesh/l1';
const namespace = 'default';

let plane: TestPlane;
let issuer: Awaited<ReturnType<typeof startTestIssuer>>;
let aws: Awaited<ReturnType<typeof createAwsSigner>>;
let azure: Awaited<ReturnType<typeof createAzureSigner>>;
let clusters = 0;
before(async () => {
  plane = await startTestPlane({ kinds: [machineRules.declaration, machineJoins.declaration] });
  issuer = await startTestIssuer();
  aws = await createAwsSigner();
  azure = await createAzureSigner();
});
after(async () => {
  await plane[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
  await azure[Symbol.asyncDispose]();
});

/** The route of a landscape with a cluster that has rules for machines of both clouds. */
async function start() {
  const cluster = `j${++clusters}`;
  const client: AtomicClient = await plane.createCluster(cluster);
  const create = (plural: string, object: KubeObject) =>
    client.create(
      plural === 'serviceaccounts'
        ? { group: '', version: 'v1', plural, namespace }
        : { ...machineRules.ref, namespace },
      object,
    );
  await create('serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'books' } });
  const { apiVersion, kind } = machineRules;
  const rule = (name: string, spec: object) =>
    create('machinerules', { apiVersion, kind, metadata: { name }, spec: { serviceAccount: 'books', ...spec } });
  await rule('google', { google: { project: 'shop-prod', zones: ['europe-west1-b'] } });
  await rule('aws', { aws: { accountId: '123456789012', regions: ['eu-central-1'] } });
  await rule('azure', { azure: { subscriptionId: '11111111-2222-3333-4444-555555555555' } });
  const reasons: string[] = [];
  const host = createHttpHost({ logger: silentLogger, readiness: async () => [] });
  const logger = Object.assign(Object.create(quiet) as Logger, {
    info: (_text: string, fields: Readonly<Record<string, unknown>> = {}) =>
      void reasons.push(String(fields['reason'])),
  });
  addJoinRoute(host, {
    verifier: createDocumentVerifier({
      awsCertificates: { 'eu-central-1': aws.certificate },
      azureAuthorities: [azure.authority],
      googleIssuer: issuer.url,
    }),
    connectOwn: async name => (name === cluster ? plane.connect(name) : undefined),
    landscapeId: async () => 'l1',
    now: () => new Date(),
    logger,
  });
  const post = async (body: object, place = { cluster, namespace }) => {
    const url = `/mesh/v1/clusters/${place.cluster}/namespaces/${place.namespace}/joins`;
    const response = await host.app.inject({ url, method: 'POST', payload: JSON.stringify(body) });
    return { status: response.statusCode, body: response.json<Readonly<Record<string, string>>>() };
  };
  return {
    ...{ client, cluster, host, post, reasons },
    /** A request, of another place or time if these are given. */
    statement: (rule: string, document: string, more: { readonly place?: string; readonly time?: string } = {}) => ({
      ...{
        rule,
        document,
        cloud: rule,
        place: joinPlace(audience, cluster, namespace),
        time: new Date().toISOString(),
      },
      ...more,
    }),
    [Symbol.asyncDispose]: () => host.close({ graceMs: 0 }),
  };
}

const later = (time: string): string => new Date(Date.parse(time) + 1000).toISOString();

describe('A machine that joins', () => {
  test('gets a token of the service account of its rule, and another one with the same key', async () => {
    await using world = await start();
    const url = `/mesh/v1/clusters/${world.cluster}/namespaces/${namespace}/joins`;
    assert.deepEqual((await world.host.app.inject({ url })).json(), { audience });
    for (const [rule, document] of [
      ['google', issuer.token(audience)],
      ['aws', aws.document()],
      ['azure', await azure.document(azureNonce(audience))],
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

  test('is denied with a request that was used before, and with a key that is not that of its first join', async () => {
    await using world = await start();
    const request = createJoiner().request(world.statement('aws', aws.document()));
    assert.equal((await world.post(request)).status, 201);
    assert.equal((await world.post(request)).status, 403);
    const thief = createJoiner().request(world.statement('aws', aws.document()));
    assert.equal((await world.post(thief)).status, 403);
    assert.match(world.reasons.join(), /was used before.*another key/);
  });
});

const hour = 3_600_000;
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
    document: () => issuer.token(audience, { isForged: true }),
    reason: /signature/i,
  },
  {
    why: 'a token for another landscape',
    rule: 'google',
    document: () => issuer.token('chandlery-mesh/other'),
    reason: /audience|meant for/i,
  },
  {
    why: 'an expired token',
    rule: 'google',
    document: () => issuer.token(audience, { exp: Math.floor(Date.now() / 1000) - 60 }),
    reason: /expired/i,
  },
  {
    why: 'a machine of another project',
    rule: 'google',
    document: () => issuer.token(audience, { machine: { project_id: 'other-project' } }),
    reason: /project "other-project"/,
  },
  {
    why: 'a machine of another zone',
    rule: 'google',
    document: () => issuer.token(audience, { machine: { zone: 'us-east1-c' } }),
    reason: /zone/,
  },
  {
    why: 'a token without a machine',
    rule: 'google',
    document: () => issuer.token(audience, { machine: { instance_id: '' } }),
    reason: /lacks/,
  },
  {
    why: 'a changed document',
    rule: 'aws',
    document: () => aws.document().replace('0123456789abcdef0', 'fedcba98765432100'),
    reason: /has not signed/,
  },
  {
    why: 'a machine of another account',
    rule: 'aws',
    document: () => aws.document({ accountId: '999999999999' }),
    reason: /account "999999999999"/,
  },
  {
    why: 'a region without a certificate',
    rule: 'aws',
    document: () => aws.document({ region: 'us-east-1' }),
    reason: /no certificate/,
  },
  {
    why: 'the first join long after the launch',
    rule: 'aws',
    document: () => aws.document({ pendingTime: new Date(Date.now() - 2 * hour).toISOString() }),
    reason: /launched more than 60 minutes ago/,
  },
  {
    why: 'attested data for another landscape',
    rule: 'azure',
    document: () => azure.document(azureNonce('chandlery-mesh/other')),
    reason: /another landscape/,
  },
  {
    why: 'attested data of another subscription',
    rule: 'azure',
    document: () => azure.document(azureNonce(audience), { subscriptionId: 'other' }),
    reason: /subscription "other"/,
  },
  {
    why: 'attested data that has expired',
    rule: 'azure',
    document: () => azure.document(azureNonce(audience), { lifeMs: -60_000 }),
    reason: /expired/,
  },
  {
    why: 'attested data that was changed',
    rule: 'azure',
    document: async () => {
      const der = Buffer.from(await azure.document(azureNonce(audience)), 'base64');
      const at = der.indexOf('11111111-2222');
      der.write('2', at);
      return der.toString('base64');
    },
    reason: /content was changed/,
  },
  {
    why: 'attested data of an unknown signer',
    rule: 'azure',
    document: async () => {
      await using other = await createAzureSigner();
      return await other.document(azureNonce(audience));
    },
    reason: /not signed by the metadata service/,
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
    document: () => aws.document(),
    reason: /./,
  },
  {
    why: 'a proof for another namespace',
    rule: 'aws',
    document: () => aws.document(),
    more: { place: joinPlace(audience, 'j1', 'other') },
    reason: /has not signed the request/,
  },
  {
    why: 'an old proof',
    rule: 'aws',
    document: () => aws.document(),
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
        return world.post(createJoiner().request(world.statement('aws', aws.document(), target)), place);
      }),
    );
    const missingRule = { ...world.statement('aws', aws.document()), rule: 'missing' };
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
