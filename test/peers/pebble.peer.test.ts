// The contract of certificate issuers on a real ACME server, with challenges answered by the embedded DNS server.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import { AcmeIssuer, type DnsZone, EmbeddedDnsServer } from '@chandlery/fleet';
import { findPebble, whySkipped } from '@chandlery/testing';
import { describeCertificateIssuerContract } from '../../domains/fleet/src/adapters/certificates/certificate-issuer-contract.ts';
import { createTestResolver } from '../../domains/fleet/src/adapters/dns/test-resolver.ts';
import { startPebble } from './support/pebble.ts';

const pebble = await findPebble();
const skip = whySkipped(pebble);
const domain = 'dinosaurs.example.com';

describeCertificateIssuerContract(
  'ACME by Pebble',
  async () => {
    const dns = await EmbeddedDnsServer.start({ port: 0 });
    const server = await startPebble(pebble.path ?? '', dns.port);
    const issuer = new AcmeIssuer({ ...server.access, zone: dns.zone(domain) });
    return {
      issuer,
      domain,
      rootPem: () => server.rootPem(),
      async [Symbol.asyncDispose]() {
        await issuer[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
        await dns[Symbol.asyncDispose]();
      },
    };
  },
  { skip },
);

describe('Pebble', { skip }, () => {
  test('the records of challenges are gone afterwards, whether they were believed or not', async () => {
    await using dns = await EmbeddedDnsServer.start({ port: 0 });
    await using server = await startPebble(pebble.path ?? '', dns.port);
    const zone = dns.zone(domain);
    await using issuer = new AcmeIssuer({ ...server.access, zone });
    await issuer.issue({ hosts: [`good.${domain}`] });
    const withWrongProofs: DnsZone = {
      ...zone,
      upsert: records => zone.upsert(records.map(record => ({ ...record, target: 'wrong' }))),
    };
    await using lying = new AcmeIssuer({ ...server.access, zone: withWrongProofs });
    await assert.rejects(
      lying.issue({ hosts: [`bad.${domain}`] }),
      error => isError(error) && /bad\./.test(error.message),
    );
    const resolve = createTestResolver(dns.port);
    for (const host of ['good', 'bad'])
      assert.deepEqual(await resolve(`_acme-challenge.${host}.${domain}`, 'TXT'), [], host);
  });

  test('an account that exists already is used again', async () => {
    await using dns = await EmbeddedDnsServer.start({ port: 0 });
    await using server = await startPebble(pebble.path ?? '', dns.port);
    for (const host of ['one', 'two']) {
      await using issuer = new AcmeIssuer({ ...server.access, zone: dns.zone(domain) });
      assert.match((await issuer.issue({ hosts: [`${host}.${domain}`] })).certPem, /BEGIN CERTIFICATE/);
    }
  });
});
