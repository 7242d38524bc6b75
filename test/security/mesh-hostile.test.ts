import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { typeUrls } from '../../domains/mesh/src/model/resource.ts';
import type { OpenTestStream, TestTls } from '../../domains/mesh/src/test-xds-client/test-connect-xds.ts';
import type { TestXdsStream } from '../../domains/mesh/src/test-xds-client/test-xds-stream.ts';
import { portName } from '../conformance/xds/support/mesh-landscape.ts';
import { type Forger, type Forgery, startForger } from './support/mesh-forger.ts';
import { type HostileMesh, startHostileMesh } from './support/mesh-hostile.ts';

let hostile: HostileMesh;
let forge: Forger;
let tls: TestTls;

before(async () => {
  hostile = await startHostileMesh();
  forge = await startForger(hostile.mesh);
  tls = forge();
});
after(async () => {
  await hostile?.expectHealthy();
  await hostile?.[Symbol.asyncDispose]();
});

/** The witness has missed nothing, and gets the next change. */
async function expectUndisturbed(): Promise<void> {
  await hostile.witness.seesChanges(1);
  hostile.witness.expectUndisturbed();
}

const patienceMs = 30_000;
const connect = () => hostile.mesh.connect({ account: 'web', nodeId: 'hostile' }, tls);

/** How a stream ends after something is sent. */
async function endOf(send: (stream: TestXdsStream) => void, options: OpenTestStream = {}): Promise<string> {
  await using connection = await connect();
  const stream = connection.open(options);
  send(stream);
  const { code } = await stream.ended(patienceMs);
  return status[code] ?? String(code);
}

describe('a request that is not as it should be', () => {
  after(expectUndisturbed);
  const node = { id: 'hostile' };
  const typeUrl = typeUrls.endpoints;
  const long = 'x'.repeat(300);
  const cases: readonly {
    readonly why: string;
    readonly send: (stream: TestXdsStream) => void;
    readonly options?: OpenTestStream;
    readonly code: keyof typeof status;
  }[] = [
    { why: 'has no type', send: stream => stream.send({ names: ['a'] }), code: 'INVALID_ARGUMENT' },
    {
      why: 'is for another type than its stream',
      send: stream => stream.send({ typeUrl: typeUrls.secret }),
      options: { only: 'cluster' },
      code: 'INVALID_ARGUMENT',
    },
    { why: 'has no node', send: stream => stream.send({ node: { id: '' }, typeUrl }), code: 'INVALID_ARGUMENT' },
    {
      why: 'has an endless node id',
      send: stream => stream.send({ node: { id: long }, typeUrl }),
      code: 'INVALID_ARGUMENT',
    },
    {
      why: 'has an endless region',
      send: stream => stream.send({ node: { ...node, region: long }, typeUrl }),
      code: 'INVALID_ARGUMENT',
    },
    {
      why: 'has an endless zone',
      send: stream => stream.send({ node: { ...node, zone: long }, typeUrl }),
      code: 'INVALID_ARGUMENT',
    },
    {
      why: 'has an endless name',
      send: stream => stream.send({ typeUrl, names: [long.repeat(4)] }),
      code: 'INVALID_ARGUMENT',
    },
    {
      why: 'ends in the middle',
      send: stream => stream.sendBytes(Buffer.from([0x1a, 0x7f, 0x61])),
      code: 'INVALID_ARGUMENT',
    },
    {
      why: 'has a field of another type',
      send: stream => stream.sendBytes(Buffer.from([0x18, 0x01])),
      code: 'INVALID_ARGUMENT',
    },
    {
      why: 'has a number without end',
      send: stream => stream.sendBytes(Buffer.alloc(40, 0xff)),
      code: 'INVALID_ARGUMENT',
    },
    {
      why: 'is longer than allowed',
      send: stream => stream.sendBytes(Buffer.alloc(5 << 20)),
      code: 'RESOURCE_EXHAUSTED',
    },
    {
      why: 'claims a length of 4 GiB',
      send: stream => stream.sendRaw(Buffer.from([0, 255, 255, 255, 255])),
      code: 'RESOURCE_EXHAUSTED',
    },
    {
      why: 'is incremental and ends in the middle',
      send: stream => stream.sendBytes(Buffer.from([0x2a, 9, 1])),
      options: { mode: 'delta' },
      code: 'INVALID_ARGUMENT',
    },
  ];
  for (const { why, send, options, code } of cases) {
    test(`and ${why} ends its stream with ${code}`, async () => {
      assert.equal(await endOf(send, options), code);
    });
  }

  test('ends its own stream only, however many there are of them', async () => {
    await using connection = await connect();
    const good = connection.open();
    good.send({ typeUrl, names: [portName('catalog')] });
    const bad = Array.from({ length: 500 }, () => connection.open());
    for (const stream of bad) stream.sendBytes(Buffer.alloc(20, 0xff));
    const ends = await Promise.all(bad.map(stream => stream.ended(patienceMs)));
    assert.ok(ends.every(({ code }) => code === status.INVALID_ARGUMENT));
    assert.equal((await good.next()).resources.length, 1);
    assert.equal(good.end, undefined);
  });
});

test('a client that rejects everything gets nothing again, and others get the next change', async () => {
  const nacksBefore = await hostile.metric('chandlery_mesh_nacks_total');
  await using connection = await connect();
  await hostile.withinMemory(40, async () => {
    const streams = Array.from({ length: 20 }, () => connection.open());
    for (const stream of streams) stream.send({ typeUrl: typeUrls.endpoints, names: [portName('catalog')] });
    const firsts = await Promise.all(streams.map(stream => stream.next()));
    for (let no = 0; no < 200; no++) {
      for (const [index, stream] of streams.entries()) {
        const first = firsts[index];
        if (first) stream.nack(first, `no, and ${'no'.repeat(5_000)}`);
      }
    }
    await hostile.witness.seesChanges(1);
    // Each gets the change of the witness, and nothing else.
    for (const stream of streams) await stream.waitFor(responses => responses[1], patienceMs);
    assert.deepEqual(new Set(streams.map(({ responses }) => responses.length)), new Set([2]));
    assert.ok(streams.every(({ end }) => end === undefined));
  });
  assert.equal((await hostile.metric('chandlery_mesh_nacks_total')) - nacksBefore, 20);
  await expectUndisturbed();
});

describe('clients with a wrong identity', () => {
  after(expectUndisturbed);
  const hourMs = 3_600_000;
  const cases: readonly {
    readonly why: string;
    readonly forgery: Forgery | 'none';
    readonly code: keyof typeof status;
  }[] = [
    { why: 'without a certificate', forgery: 'none', code: 'UNAUTHENTICATED' },
    { why: 'with an expired one', forgery: { now: new Date(Date.now() - 2 * hourMs) }, code: 'UNAUTHENTICATED' },
    { why: 'with one of tomorrow', forgery: { now: new Date(Date.now() + 24 * hourMs) }, code: 'UNAUTHENTICATED' },
    { why: 'with one of their own making', forgery: { isForeign: true }, code: 'UNAUTHENTICATED' },
    { why: 'of another trust domain', forgery: { identity: { trustDomain: 'elsewhere' } }, code: 'UNAUTHENTICATED' },
    {
      why: 'of a mesh that there is not',
      forgery: { identity: { tenant: 'no-such-mesh' } },
      code: 'PERMISSION_DENIED',
    },
    { why: 'of a cluster of another mesh', forgery: { identity: { cluster: 'elsewhere' } }, code: 'PERMISSION_DENIED' },
    { why: 'with the id of another proxy', forgery: { identity: { proxyId: 'honest' } }, code: 'PERMISSION_DENIED' },
  ];
  for (const { why, forgery, code } of cases) {
    test(`is rejected with ${code}: ${why}, also many at once`, async () => {
      const shown: TestTls = forgery === 'none' ? { ca: tls.ca } : forge(forgery);
      const attempts = Array.from({ length: 40 }, async () => {
        await using connection = await hostile.mesh.connect({ account: 'web', nodeId: 'hostile' }, shown);
        const stream = connection.open();
        stream.send({ typeUrl: typeUrls.cluster });
        const end = await stream.ended(patienceMs);
        return [status[end.code], stream.responses.length].join(' ');
      });
      assert.deepEqual(new Set(await Promise.all(attempts)), new Set([`${code} 0`]));
    });
  }
});
