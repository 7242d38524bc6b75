import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import dnsPacket, { type DecodedPacket, type Packet, type RecordType } from 'dns-packet';
import { answerQuery } from './answer-query.ts';
import { describeDnsZoneContract } from './dns-zone-contract.ts';
import { EmbeddedDnsServer } from './embedded-dns-server.ts';
import { createTestResolver } from './test-resolver.ts';

const domain = 'dinosaurs.example.com';

describeDnsZoneContract('embedded', async () => {
  const server = await EmbeddedDnsServer.start({ port: 0 });
  return {
    zone: server.zone(domain),
    domain,
    resolve: createTestResolver(server.port),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
});

async function askUdp(port: number, bytes: Buffer, timeoutMs = 2000): Promise<Buffer | undefined> {
  const socket = createSocket('udp4');
  try {
    socket.send(bytes, port, '127.0.0.1');
    const [response] = (await once(socket, 'message', { signal: AbortSignal.timeout(timeoutMs) })) as [Buffer];
    return response;
  } catch {
    return undefined;
  } finally {
    socket.close();
  }
}

async function askTcp(port: number, packet: Packet): Promise<DecodedPacket> {
  const socket = connect(port, '127.0.0.1');
  socket.write(dnsPacket.streamEncode(packet));
  let received = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received = Buffer.concat([received, chunk]);
    if (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) break;
  }
  return dnsPacket.decode(received.subarray(2));
}

const question = (name: string, type: RecordType, more: Packet = {}): Packet => ({
  type: 'query',
  id: 4711,
  questions: [{ name, type }],
  ...more,
});

const rcodeOf = (response: Buffer | undefined): number | undefined =>
  response === undefined ? undefined : response.readUInt16BE(2) & 0xf;

async function ask(
  server: EmbeddedDnsServer,
  name: string,
  type: RecordType,
): Promise<DecodedPacket & { rcode: number }> {
  const response = await askUdp(server.port, dnsPacket.encode(question(name, type)));
  assert.ok(response !== undefined, `no response for ${name}`);
  return { ...dnsPacket.decode(response), rcode: response.readUInt16BE(2) & 0xf };
}

const alias = (label: string, target = 'router.example.com') => ({
  name: `${label}.${domain}`,
  target,
  ttlSeconds: 300,
});

test('a name without records of a type differs from a name that does not exist', async () => {
  await using server = await EmbeddedDnsServer.start({ port: 0 });
  server.zone(domain).load([{ ...alias('a.b'), target: '192.0.2.1' }]);
  const cases: readonly [string, RecordType, number, number][] = [
    [`a.b.${domain}`, 'A', 0, 1],
    [`a.b.${domain}`, 'AAAA', 0, 0],
    [`b.${domain}`, 'A', 0, 0],
    [`c.${domain}`, 'A', 3, 0],
    [`x.a.b.${domain}`, 'A', 3, 0],
    [domain, 'A', 0, 0],
    [domain, 'SOA', 0, 1],
    [domain, 'NS', 0, 1],
    [`ns.${domain}`, 'A', 0, 1],
    ['elsewhere.example.org', 'A', 5, 0],
    [domain, 'AXFR', 5, 0],
  ];
  for (const [name, type, rcode, answers] of cases) {
    const response = await ask(server, name, type);
    assert.deepEqual([response.rcode, response.answers?.length], [rcode, answers], `${type} ${name}`);
    const isNegative = rcode !== 5 && answers === 0;
    assert.equal(response.authorities?.[0]?.type, isNegative ? 'SOA' : undefined, `${type} ${name}`);
    assert.equal(response.flag_aa, rcode !== 5);
  }
});

test('aliases within the zone are followed, also in a circle', async () => {
  await using server = await EmbeddedDnsServer.start({ port: 0 });
  const zone = server.zone(domain);
  await zone.upsert([alias('one', `two.${domain}`), { ...alias('two'), target: '192.0.2.2' }]);
  await zone.upsert([alias('left', `right.${domain}`), alias('right', `left.${domain}`)]);
  const followed = await ask(server, `ONE.${domain}`, 'A');
  assert.deepEqual(
    followed.answers?.map(({ name, type }) => [name, type]),
    [
      [`ONE.${domain}`, 'CNAME'],
      [`two.${domain}`, 'A'],
    ],
  );
  assert.equal((await ask(server, `left.${domain}`, 'A')).rcode, 0);
});

test('a wildcard covers names that do not exist', async () => {
  await using server = await EmbeddedDnsServer.start({ port: 0 });
  server.zone(domain).load([alias('*.inst'), alias('own.inst', 'own.example.com')]);
  const targetOf = async (name: string) => (await createTestResolver(server.port)(`${name}.${domain}`, 'CNAME'))[0];
  assert.equal(await targetOf('any.inst'), 'router.example.com');
  assert.equal(await targetOf('deep.any.inst'), 'router.example.com');
  assert.equal(await targetOf('own.inst'), 'own.example.com');
  assert.equal(await targetOf('below.own.inst'), undefined);
});

test('loading replaces the whole content, and nothing when a record is invalid', async () => {
  await using server = await EmbeddedDnsServer.start({ port: 0 });
  const zone = server.zone(domain);
  zone.load([alias('old')]);
  assert.throws(() => zone.load([alias('new'), { ...alias('bad'), name: 'not a name' }]));
  assert.equal((await ask(server, `old.${domain}`, 'CNAME')).answers?.length, 1);
  zone.load([alias('new')]);
  assert.equal((await ask(server, `old.${domain}`, 'CNAME')).rcode, 3);
  assert.equal((await ask(server, `new.${domain}`, 'CNAME')).rcode, 0);
  server.removeZone(domain);
  assert.equal((await ask(server, `new.${domain}`, 'CNAME')).rcode, 5);
});

test('a response that does not fit is truncated over UDP and whole over TCP', async () => {
  await using server = await EmbeddedDnsServer.start({ port: 0 });
  const texts = Array.from({ length: 10 }, (_, index) => `${index}`.repeat(200));
  server.zone(domain).load(texts.map(target => ({ ...alias('long', target), type: 'TXT' as const })));
  const short = await ask(server, `long.${domain}`, 'TXT');
  assert.deepEqual([short.flag_tc, short.answers?.length], [true, 0]);
  const whole = await askTcp(server.port, question(`long.${domain}`, 'TXT'));
  assert.deepEqual([whole.flag_tc, whole.answers?.length], [false, 10]);
});

test('EDNS is understood in version 0 and answered with BADVERS in others', async () => {
  await using server = await EmbeddedDnsServer.start({ port: 0 });
  server.zone(domain);
  for (const [version, extendedRcode] of [
    [0, 0],
    [1, 1],
  ] as const) {
    const opt = {
      type: 'OPT',
      name: '.',
      udpPayloadSize: 4096,
      extendedRcode: 0,
      ednsVersion: version,
      flags: 0,
      flag_do: false,
      options: [],
    } as const;
    const query = dnsPacket.encode(question(domain, 'SOA', { additionals: [{ ...opt, options: [] }] }));
    const response = dnsPacket.decode((await askUdp(server.port, query)) ?? Buffer.alloc(0));
    const [found] = response.additionals ?? [];
    assert.ok(found?.type === 'OPT');
    assert.equal(found.extendedRcode, extendedRcode);
  }
});

test('malformed packets are rejected or dropped, and the server goes on', async () => {
  await using server = await EmbeddedDnsServer.start({ port: 0 });
  server.zone(domain).load([alias('a')]);
  const query = dnsPacket.encode(question(`a.${domain}`, 'CNAME'));
  const isResponse = Buffer.from(query);
  isResponse.writeUInt8(0x80, 2);
  const isUpdate = Buffer.from(query);
  isUpdate.writeUInt8(0x28, 2);
  const isDotted = dnsPacket.encode(question('a.b', 'A'));
  isDotted.set(Buffer.from([3, 0x61, 0x2e, 0x62, 0]), 12);
  const cases: readonly [string, Buffer, number | undefined][] = [
    ['cut off', query.subarray(0, 20), 1],
    ['an update', isUpdate, 4],
    ['a label with a dot', isDotted, 1],
    ['no question', Buffer.concat([query.subarray(0, 4), Buffer.alloc(8)]), 1],
  ];
  for (const [why, bytes, rcode] of cases) assert.equal(rcodeOf(await askUdp(server.port, bytes)), rcode, why);
  for (const dropped of [isResponse, query.subarray(0, 11), Buffer.alloc(0)])
    assert.equal(await askUdp(server.port, dropped, 100), undefined);
  for (let length = 0; length < 300; length += 1) {
    const garbled = Buffer.concat([query.subarray(0, length % query.length), randomBytes(length)]);
    answerQuery(garbled, 'udp', { findZone: () => undefined, address: '127.0.0.1' });
  }
  assert.equal((await ask(server, `a.${domain}`, 'CNAME')).answers?.length, 1);
});

test('TCP connections are bounded in number, and one that sends too much is cut off', async () => {
  await using server = await EmbeddedDnsServer.start({ port: 0 });
  server.zone(domain);
  const closed = (socket: Socket): Promise<unknown> => once(socket.on('error', () => {}).resume(), 'close');
  const talkative = connect(server.port, '127.0.0.1');
  talkative.write(Buffer.alloc(20_000, 0xff));
  await closed(talkative);
  const sockets = Array.from({ length: 80 }, () => connect(server.port, '127.0.0.1'));
  let rejected = 0;
  for (const socket of sockets) void closed(socket).then(() => (rejected += 1));
  // Well before idle connections are closed.
  await eventually(() => rejected === 80 - 64, { what: 'rejected connections', timeoutMs: 5000 });
  for (const socket of sockets) socket.destroy();
  const soa = await eventually(() => askTcp(server.port, question(domain, 'SOA')), { what: 'a free connection' });
  assert.equal(soa.answers?.length, 1);
});

test('a port that somebody else has is named', async () => {
  await using server = await EmbeddedDnsServer.start({ port: 0 });
  await assert.rejects(EmbeddedDnsServer.start({ port: server.port }), error => isError(error, 'PortTaken'));
});
