import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import dnsPacket from 'dns-packet';
import { Rfc2136DnsZone } from './rfc2136-zone.ts';
import { signMessage, type TsigKey, whyNotGenuine } from './tsig.ts';
import { encodeUpdate } from './update-message.ts';

const key: TsigKey = { name: 'fleet', algorithm: 'hmac-sha256', secret: Buffer.alloc(32, 1) };
const now = new Date('2030-01-01T00:00:00Z');
const update = encodeUpdate({ id: 7, zone: 'example.com', written: [], removed: [] });

test('a message is signed over itself and the variables of its key', () => {
  const { bytes, mac } = signMessage(update, key, now);
  const name = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text), Buffer.alloc(1)]);
  const variables = Buffer.concat([
    name('fleet'),
    Buffer.from('00ff00000000', 'hex'),
    name('hmac-sha256'),
    Buffer.from('000070dbd880012c00000000', 'hex'),
  ]);
  const expected = createHmac('sha256', key.secret)
    .update(Buffer.concat([update, variables]))
    .digest();
  assert.deepEqual(mac, expected);
  assert.deepEqual([bytes.readUInt16BE(10), update.readUInt16BE(10)], [1, 0]);
});

test('only a response to the very request is genuine', () => {
  const request = signMessage(update, key, now);
  assert.equal(whyNotGenuine(update, request, key, now), 'it is not signed');
  // Signed by the right key, but as a request: the signature does not cover that of the request.
  assert.equal(whyNotGenuine(request.bytes, request, key, now), 'its signature is wrong');
});

/** A server that answers queries for the SOA, and updates with NOERROR and no signature. */
async function startForger() {
  const server = createServer(socket => {
    socket
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        const isUpdate = chunk.readUInt8(4) >> 3 === 5;
        const soa = { mname: 'ns.example.com', rname: 'host.example.com' };
        const answers = isUpdate ? [] : [{ type: 'SOA' as const, name: 'example.com', data: soa }];
        socket.end(dnsPacket.streamEncode({ type: 'response', id: chunk.readUInt16BE(2), answers }));
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, [Symbol.dispose]: () => void server.close() };
}

test('success that nobody has signed is not believed', async () => {
  using forger = await startForger();
  const zone = new Rfc2136DnsZone({
    domain: 'example.com',
    server: '127.0.0.1',
    port: forger.port,
    keyName: 'fleet',
    keySecret: Buffer.alloc(32, 1).toString('base64'),
  });
  await assert.rejects(
    zone.upsert([{ name: 'a.example.com', target: '192.0.2.1', ttlSeconds: 60 }]),
    error => isError(error, 'PeerUnavailable') && /not genuine \(it is not signed\)/.test(error.message),
  );
});

test('an algorithm or a secret that cannot be used is named, without the secret', () => {
  const options = { domain: 'example.com', server: '127.0.0.1', keyName: 'fleet', keySecret: 'c2VjcmV0' };
  assert.throws(() => new Rfc2136DnsZone({ ...options, keyAlgorithm: 'hmac-md5' }), /key_algorithm "hmac-md5"/);
  assert.throws(() => new Rfc2136DnsZone({ ...options, keySecret: '' }), /key_secret/);
});
