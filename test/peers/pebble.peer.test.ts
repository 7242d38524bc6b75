// The contract of certificate issuers on a real ACME server, with challenges answered by the embedded DNS server.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { connect } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { isError } from '@chandlery/api';
import { AcmeIssuer, type DnsZone, EmbeddedDnsServer } from '@chandlery/fleet';
import { eventually, findPebble, freePorts, startTestLandscape, tempFolder, whySkipped } from '@chandlery/testing';
import { describeCertificateIssuerContract } from '../../domains/fleet/src/adapters/certificates/certificate-issuer-contract.ts';
import { createTestResolver } from '../../domains/fleet/src/adapters/dns/test-resolver.ts';
import { tarOf } from '../../domains/orders/src/adapters/sites/test-archives.ts';
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

describe('a site', { skip }, () => {
  test('gets a certificate of the ACME server that the operator has set', async () => {
    await using folder = await tempFolder();
    const [dnsPort = 0] = await freePorts(1);
    await using server = await startPebble(pebble.path ?? '', dnsPort);
    await writeFile(folder.join('pebble.pem'), server.access.caPem);
    const dns = { type: 'embedded', port: dnsPort, domain: 'sites.example.com' };
    const siteCertificates = { directory_url: server.access.directoryUrl, dns };
    const env = {
      NODE_EXTRA_CA_CERTS: folder.join('pebble.pem'),
      CHANDLERY_ORDERS: JSON.stringify({ siteCertificates }),
    };
    await using landscape = await startTestLandscape({ env });
    for (const host of ['www.sites.example.com', 'www.example.org']) {
      const upload = {
        body: gzipSync(await tarOf({ 'index.html': host })),
        headers: { 'content-type': 'application/gzip' },
      };
      const { id: artifact } = (await landscape.request('/1/artifacts', upload)).json<{ id: string }>();
      const controller = { $schema: 'urn:ivcap:schema:service.app-server.1', host, artifact };
      const body = { name: host, description: 'a site', parameters: [], controller };
      assert.equal((await landscape.request('/1/services2', { body })).status, 201);
    }
    const trusted = (host: string, ca: string): Promise<boolean> => isTrusted(landscape.port, host, ca);
    const root = await server.rootPem();
    assert.equal(await trusted('www.sites.example.com', landscape.ca), true);
    await eventually(() => trusted('www.sites.example.com', root), {
      what: 'the certificate is there',
      timeoutMs: 60_000,
    });
    assert.equal(await trusted('www.example.org', landscape.ca), true);
    await landscape.restart();
    await eventually(() => trusted('www.sites.example.com', root), { what: 'it was stored', timeoutMs: 60_000 });
  });
});

async function isTrusted(port: number, servername: string, ca: string): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1', servername, ca });
  try {
    await once(socket, 'secureConnect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

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
