// The route of joins from the view of an attacker: forged, foreign, replayed and costly requests.
import assert from 'node:assert/strict';
import { createHmac, createPublicKey, generateKeyPairSync, sign, type webcrypto } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { readElements } from '@chandlery/platform';
import { SourceLimits } from '../joins/source-limits.ts';
import { createAzureSigner, createJoiner } from '../joins/test-documents.ts';
import { azureNonce } from '../joins/verify-azure.ts';
import { machineJoins } from '../kinds/machine-join.ts';
import { joinPlace } from '../model/joins/join-proof.ts';
import { audience, type JoinClouds, namespace, startJoinClouds, startJoinWorld } from './test-join-world.ts';

let clouds: JoinClouds;
before(async () => {
  clouds = await startJoinClouds();
});
after(() => clouds[Symbol.asyncDispose]());

type World = Awaited<ReturnType<typeof startJoinWorld>>;

const minute = 60_000;
const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** The claims of a genuine token under another header and signature. */
function resign(header: object, signature: (content: string) => string): string {
  const [, claims = ''] = clouds.issuer.token(audience).split('.');
  const content = `${encode({ typ: 'JWT', kid: 'k1', ...header })}.${claims}`;
  return `${content}.${signature(content)}`;
}

async function issuerKey(): Promise<string> {
  const response = await fetch(`${clouds.issuer.url}/keys`);
  const { keys } = (await response.json()) as { readonly keys: readonly [webcrypto.JsonWebKey] };
  return createPublicKey({ key: keys[0], format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString();
}

/** An element of DER. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const length = Buffer.alloc(5, 0x84);
  length.writeUInt32BE(content.length, 1);
  return Buffer.concat([Buffer.from([tag]), length, content]);
}

/** Rebuilds attested data with more certificates than its own. */
function withCertificates(document: string, count: number): string {
  const [type, wrapped] = readElements(readElements(Buffer.from(document, 'base64'))[0]?.contents ?? Buffer.alloc(0));
  const parts = readElements(readElements(wrapped?.contents ?? Buffer.alloc(0))[0]?.contents ?? Buffer.alloc(0));
  const more = Array.from({ length: count }, () => der(0x30, der(0x30)));
  const changed = parts.map(({ tag, raw, contents }) => (tag === 0xa0 ? der(0xa0, contents, ...more) : raw));
  const message = der(0x30, type?.raw ?? Buffer.alloc(0), der(0xa0, der(0x30, ...changed)));
  return message.toString('base64');
}

/** Elements within elements, as many as fit. */
function nested(depth: number): string {
  let element = der(0x30);
  for (let level = 0; level < depth; level += 1) element = der(0x30, element);
  return element.toString('base64');
}

const azureDocument = () => clouds.azure.document(azureNonce(audience));

const documents: readonly {
  readonly why: string;
  readonly rule: 'aws' | 'azure' | 'google';
  readonly document: () => string | Promise<string>;
  readonly reason: RegExp;
}[] = [
  {
    why: 'a token without a signature',
    rule: 'google',
    document: () => resign({ alg: 'none' }, () => ''),
    reason: /alg/i,
  },
  {
    why: "a token that the issuer's public key signs as a secret",
    rule: 'google',
    document: async () => {
      const pem = await issuerKey();
      return resign({ alg: 'HS256' }, content => createHmac('sha256', pem).update(content).digest('base64url'));
    },
    reason: /alg/i,
  },
  {
    why: 'a token with a key of its own',
    rule: 'google',
    document: () => {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const jwk = publicKey.export({ format: 'jwk' });
      return resign({ alg: 'RS256', jwk, jku: 'http://169.254.169.254/keys' }, content =>
        sign('RSA-SHA256', Buffer.from(content), privateKey).toString('base64url'),
      );
    },
    reason: /signature/i,
  },
  {
    why: 'a token whose claims are nested without end',
    rule: 'google',
    document: () => `${encode({ alg: 'RS256' })}.${Buffer.from('['.repeat(20_000)).toString('base64url')}.AA`,
    reason: /./,
  },
  {
    why: 'a document of AWS without the time of the launch',
    rule: 'aws',
    document: () => clouds.aws.document({ pendingTime: undefined }),
    reason: /not known when the machine was launched/,
  },
  {
    why: 'a document of AWS that is launched in the future',
    rule: 'aws',
    document: () => clouds.aws.document({ pendingTime: new Date(Date.now() + 10 * minute).toISOString() }),
    reason: /not known when the machine was launched/,
  },
  {
    why: 'a document of AWS with another type of instance id',
    rule: 'aws',
    document: () => clouds.aws.document({ instanceId: ['i-0123456789abcdef0'] }),
    reason: /lacks the instance/,
  },
  {
    why: 'a region that every object has',
    rule: 'aws',
    document: () => clouds.aws.document({ region: 'constructor' }),
    reason: /no certificate of AWS/,
  },
  {
    why: 'a document of AWS that is nested without end',
    rule: 'aws',
    document: () => JSON.stringify({ document: '['.repeat(20_000), signature: 'AA==' }),
    reason: /not JSON/,
  },
  {
    why: 'attested data with many certificates',
    rule: 'azure',
    document: async () => withCertificates(await azureDocument(), 1000),
    reason: /too many certificates/,
  },
  {
    why: 'attested data that is nested without end',
    rule: 'azure',
    document: () => nested(3000),
    reason: /./,
  },
  {
    why: 'attested data that ends in the middle',
    rule: 'azure',
    document: async () => (await azureDocument()).slice(0, 800),
    reason: /ends in the middle/,
  },
  {
    why: 'attested data of a signer with another name',
    rule: 'azure',
    document: async () => {
      await using other = await createAzureSigner({ dnsName: 'metadata.azure.com.attacker.example' });
      return await other.document(azureNonce(audience));
    },
    reason: /signer is not trusted/,
  },
  {
    why: 'attested data of an unknown signer, whose key is not used',
    rule: 'azure',
    document: async () => {
      await using other = await createAzureSigner();
      const document = Buffer.from(await other.document(azureNonce(audience)), 'base64');
      document[document.length - 1] = (document.at(-1) ?? 0) ^ 1;
      return document.toString('base64');
    },
    reason: /signer is not trusted/,
  },
];

async function denies(world: World, body: object, reason: RegExp): Promise<void> {
  const { status, body: shown } = await world.post(body);
  assert.equal(status, 403, world.reasons.join());
  assert.match(world.reasons.join(), reason);
  const { message = '' } = shown;
  assert.equal(message.split('.')[0], 'the machine may not join: the log of the landscape has the reason');
  assert.deepEqual((await world.client.list({ ...machineJoins.ref, namespace })).items, []);
}

describe('A machine may not join with', () => {
  for (const { why, rule, document, reason } of documents) {
    test(why, async () => {
      await using world = await startJoinWorld(clouds);
      await denies(world, createJoiner().request(world.statement(rule, await document())), reason);
    });
  }

  test('a key that is private, encrypted, of another curve, or more than a key', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const other = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const type = 'pkcs8';
    const encrypted = { cipher: 'aes-256-cbc', passphrase: 'x' };
    const keys = [
      privateKey.export({ type, format: 'pem' }),
      privateKey.export({ type, format: 'pem', ...encrypted }),
      other.publicKey.export({ type: 'spki', format: 'pem' }),
      clouds.aws.certificate.slice(0, 900),
      `${createPublicKey(privateKey).export({ type: 'spki', format: 'pem' })}x`,
    ];
    for (const publicKey of keys) {
      await using world = await startJoinWorld(clouds);
      const request = createJoiner().request(world.statement('aws', clouds.aws.document()), { publicKey });
      await denies(world, request, /not an EC key of the curve P-256/);
    }
  });

  test('a rule that names something else', async () => {
    await using world = await startJoinWorld(clouds);
    for (const rule of ['../machinerules/aws', 'aws/status', '', '__proto__']) {
      const statement = { ...world.statement('aws', clouds.aws.document()), rule };
      await denies(world, createJoiner().request(statement), /./);
    }
  });

  test('fields that are larger than those of machines, which nobody verifies', async () => {
    await using world = await startJoinWorld(clouds);
    const request = createJoiner().request(world.statement('aws', 'x'.repeat(33 * 1024)));
    const { status, body } = await world.post(request);
    assert.equal(status, 400);
    assert.match(body['message'] ?? '', /document must have at most 32768 characters/);
    assert.deepEqual(world.reasons, []);
  });
});

describe('The certificate of a signer of Azure', () => {
  const cases: readonly { readonly why: string; readonly names: object; readonly status: number }[] = [
    { why: 'may have the name of the cloud', names: { dnsName: 'metadata.azure.com' }, status: 201 },
    { why: 'may have the name of all regions', names: { dnsName: '*.metadata.azure.com' }, status: 201 },
    {
      why: 'may have its name as that of its subject',
      names: { dnsName: undefined, commonName: 'metadata.azure.com' },
      status: 201,
    },
    {
      why: 'may not have another one beside that of its subject',
      names: { dnsName: 'attacker.example', commonName: 'metadata.azure.com' },
      status: 403,
    },
    {
      why: 'may not have a name that only ends alike',
      names: { dnsName: undefined, commonName: 'not-metadata.azure.com' },
      status: 403,
    },
    { why: 'may not have none', names: { dnsName: undefined, commonName: '*' }, status: 403 },
  ];
  for (const { why, names, status } of cases)
    test(why, async () => {
      // Its authority is one of those that the operator has set.
      await using signer = await createAzureSigner(names);
      await using world = await startJoinWorld(clouds, { azureAuthorities: [signer.authority] });
      const document = await signer.document(azureNonce(audience));
      const answer = await world.post(createJoiner().request(world.statement('azure', document)));
      assert.equal(answer.status, status, world.reasons.join());
    });
});

describe('The document of a machine of AWS that was terminated', () => {
  test('is of no use to others, also when the record of the machine was deleted', async () => {
    const time = { ms: Date.now() };
    await using world = await startJoinWorld(clouds, { now: () => new Date(time.ms) });
    const document = clouds.aws.document();
    const machine = createJoiner();
    const requestOf = (joiner: ReturnType<typeof createJoiner>) =>
      joiner.request(world.statement('aws', document, { time: new Date(time.ms).toISOString() }));
    assert.equal((await world.post(requestOf(machine))).status, 201, world.reasons.join());
    time.ms += 2 * 60 * minute;
    assert.equal((await world.post(requestOf(createJoiner()))).status, 403);
    assert.match(world.reasons.join(), /has joined with another key/);
    const [join] = (await world.client.list({ ...machineJoins.ref, namespace })).items;
    await world.client.delete({ ...machineJoins.ref, namespace, name: join?.metadata.name ?? '' });
    // Nor to who has its disk: a first join needs a recent launch.
    await denies(world, requestOf(createJoiner()), /launched more than 60 minutes ago/);
    await denies(world, requestOf(machine), /launched more than 60 minutes ago/);
  });
});

describe('The clock of a machine', () => {
  for (const { skew, status } of [
    { skew: -4 * minute, status: 201 },
    { skew: 4 * minute, status: 201 },
    { skew: -6 * minute, status: 403 },
    { skew: 6 * minute, status: 403 },
  ])
    test(`may ${status === 201 ? '' : 'not '}differ by ${skew / minute} minutes`, async () => {
      await using world = await startJoinWorld(clouds);
      const time = new Date(Date.now() + skew).toISOString();
      const request = createJoiner().request(world.statement('aws', clouds.aws.document(), { time }));
      assert.equal((await world.post(request)).status, status, world.reasons.join());
    });

  test('must show a time', async () => {
    await using world = await startJoinWorld(clouds);
    const request = createJoiner().request(world.statement('aws', clouds.aws.document(), { time: 'now' }));
    await denies(world, request, /is not now/);
  });
});

describe('A request that was used', () => {
  test('is denied by another replica, and after a restart', async () => {
    await using world = await startJoinWorld(clouds);
    await using other = world.startReplica();
    const request = createJoiner().request(world.statement('google', clouds.issuer.token(audience)));
    assert.equal((await world.post(request)).status, 201, world.reasons.join());
    assert.equal((await other.post(request)).status, 403);
    await using restarted = world.startReplica();
    assert.equal((await restarted.post(request)).status, 403);
    assert.match(world.reasons.join(), /was used before.*was used before/);
  });

  test('is accepted once when it reaches several replicas at the same time', async () => {
    await using world = await startJoinWorld(clouds);
    await using other = world.startReplica();
    const joiner = createJoiner();
    const times = [new Date().toISOString(), new Date(Date.now() + 1000).toISOString()];
    // The first creates a record, the second updates it.
    for (const time of times) {
      const request = joiner.request(world.statement('google', clouds.issuer.token(audience), { time }));
      const replicas = [world, other, world, other];
      const responses = await Promise.all(replicas.map(replica => replica.post(request)));
      assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 403, 403, 403], world.reasons.join());
    }
  });
});

describe('Requests from one address', () => {
  test('are limited, and those from others are not', async () => {
    const now = new Date();
    const limits = new SourceLimits({ limit: { perSecond: 1, burst: 2 } });
    await using world = await startJoinWorld(clouds, { now: () => now, limits });
    const flood = { rule: 'aws', cloud: 'aws', document: '', publicKey: '', time: '', proof: '' };
    const postFrom = (address: string, body: object = flood) =>
      world.post(body, { cluster: world.cluster, namespace }, address);
    assert.equal((await postFrom('203.0.113.9')).status, 403);
    assert.equal((await postFrom('203.0.113.9')).status, 403);
    const limited = await postFrom('203.0.113.9');
    assert.deepEqual([limited.status, limited.headers['retry-after']], [429, '1']);
    const request = createJoiner().request(world.statement('aws', clouds.aws.document(), { time: now.toISOString() }));
    assert.equal((await postFrom('198.51.100.7', request)).status, 201, world.reasons.join());
  });
});

describe('Tenants that name the same account of a cloud', () => {
  test('have no part in the joins of each other, whoever was first', async () => {
    await using first = await startJoinWorld(clouds);
    await using second = await startJoinWorld(clouds);
    const machine = createJoiner();
    const document = clouds.aws.document();
    const ofFirst = machine.request(first.statement('aws', document));
    // The request names its place: the other tenant cannot use it.
    assert.equal((await second.post(ofFirst)).status, 403);
    assert.match(second.reasons.join(), /has not signed the request/);
    assert.equal((await first.post(ofFirst)).status, 201, first.reasons.join());
    // Nor does the key that joined there keep the machine from joining here, with another one.
    assert.equal((await second.post(createJoiner().request(second.statement('aws', document)))).status, 201);
    for (const { client } of [first, second])
      assert.equal((await client.list({ ...machineJoins.ref, namespace })).items.length, 1);
  });

  test('give nothing of a namespace away to machines of others', async () => {
    await using world = await startJoinWorld(clouds);
    const responses = await Promise.all([
      world.post(createJoiner().request(world.statement('aws', clouds.aws.document({ accountId: '999999999999' })))),
      world.post(
        createJoiner().request({
          ...world.statement('aws', clouds.aws.document()),
          place: joinPlace(audience, 'missing', namespace),
        }),
        { cluster: 'missing', namespace },
      ),
      world.post(createJoiner().request({ ...world.statement('aws', clouds.aws.document()), rule: 'missing' })),
    ]);
    assert.equal(new Set(responses.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size, 1);
  });
});
