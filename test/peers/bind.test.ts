// The contract of DNS zones on a real BIND, by signed updates (RFC 2136).
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import { findBind, whySkipped } from '@chandlery/testing';
import { describeDnsZoneContract } from '../../domains/fleet/src/adapters/dns/dns-zone-contract.ts';
import { Rfc2136DnsZone } from '../../domains/fleet/src/adapters/dns/rfc2136-zone.ts';
import { createTestResolver } from '../../domains/fleet/src/adapters/dns/test-resolver.ts';
import { type Bind, bindKeyAlgorithms, startBind } from './support/bind.ts';

const bind = await findBind();
const skip = whySkipped(bind);
const domain = 'dinosaurs.example.com';

const openZone = async (keyAlgorithm: string, zone = domain) => {
  const server = await startBind(bind.path ?? '', domain);
  return {
    zone: new Rfc2136DnsZone({ ...server.access, ...server.key(keyAlgorithm), domain: zone }),
    domain: zone,
    resolve: createTestResolver(server.access.port),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};

describeDnsZoneContract('BIND with a key of hmac-sha256', () => openZone('hmac-sha256'), { skip });
describeDnsZoneContract('BIND, in a domain below its zone', () => openZone('hmac-sha512', `eu.${domain}`), { skip });

describe('BIND', { skip }, () => {
  const record = { name: `a.${domain}`, target: 'router.example.com', ttlSeconds: 300 };
  const isTerminal = (error: unknown): boolean => isError(error, 'TerminalError');
  const zoneOf = (server: Bind, more: object = {}) =>
    new Rfc2136DnsZone({ ...server.access, ...server.key('hmac-sha256'), domain, ...more });

  test('every algorithm of keys is understood, a wrong key is rejected for good without showing it', async () => {
    await using server = await startBind(bind.path ?? '', domain);
    for (const keyAlgorithm of bindKeyAlgorithms)
      assert.equal((await zoneOf(server, server.key(keyAlgorithm)).upsert([record])).done, true, keyAlgorithm);
    const keySecret = randomBytes(32).toString('base64');
    for (const wrong of [{ keySecret }, { keyName: 'unknown' }]) {
      const rejected = await zoneOf(server, wrong)
        .upsert([record])
        .catch((error: unknown) => error);
      assert.ok(isTerminal(rejected), String(rejected));
      assert.ok(!(rejected as Error).message.includes(keySecret));
    }
  });

  test('a zone that the server does not have is rejected for good', async () => {
    await using server = await startBind(bind.path ?? '', domain);
    const elsewhere = { name: 'a.example.net', target: '192.0.2.1', ttlSeconds: 60 };
    await assert.rejects(zoneOf(server, { domain: 'example.net' }).upsert([elsewhere]), isTerminal);
  });

  test('a clock that is wrong is worth a retry, as it may be set right', async () => {
    await using server = await startBind(bind.path ?? '', domain);
    const clock = { now: () => new Date(Date.now() - 3_600_000) };
    await assert.rejects(zoneOf(server, { clock }).upsert([record]), error => isError(error, 'PeerUnavailable'));
  });
});

test('a DNS server that accepts and never answers is given up in time', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const zone = new Rfc2136DnsZone({
    domain,
    server: '127.0.0.1',
    port,
    keyName: 'fleet',
    keySecret: randomBytes(32).toString('base64'),
    timeoutMs: 300,
  });
  const record = { name: `a.${domain}`, target: '192.0.2.1', ttlSeconds: 60 };
  await assert.rejects(
    zone.upsert([record]),
    error => isError(error, 'PeerUnavailable') && /300 ms/.test(error.message),
  );
  silent.close();
});
