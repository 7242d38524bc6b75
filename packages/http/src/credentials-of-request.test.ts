import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { after, before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  type IssuedCertificate,
  issueCertificate,
} from '@chandlery/platform';
import { credentialsOfRequest, parseAuthorization, type RequestCredentials } from './credentials-of-request.ts';
import { createHttpHost, type HttpHost } from './http-host.ts';
import { silentLogger } from './logger.ts';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('the Authorization header', () => {
  const table: readonly (readonly [header: string | undefined, RequestCredentials])[] = [
    [undefined, {}],
    ['', {}],
    ['Bearer abc', { bearerToken: 'abc' }],
    ['bearer   abc  ', { bearerToken: 'abc' }],
    ['BEARER a b', { bearerToken: 'a b' }],
    ['Bearer', { bearerToken: '' }],
    ['Bearerabc', {}],
    [basic('ann:s3:cret'), { username: 'ann', password: 's3:cret' }],
    [basic(':token'), { username: '', password: 'token' }],
    [basic('jürgen:ß'), { username: 'jürgen', password: 'ß' }],
    [basic('no colon'), { username: 'no colon', password: '' }],
    ['Basic ???', { username: '', password: '' }],
    ['Negotiate abc', {}],
  ];
  for (const [header, expected] of table) {
    test(`${header} is read as ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(parseAuthorization(header), expected));
  }
});

describe('client certificates', () => {
  const now = new Date();
  const authority = createCertificateAuthority({ commonName: 'ours', now });
  const stranger = createCertificateAuthority({ commonName: 'ours', now });
  const server = (issuer: CertificateAuthority) =>
    issueCertificate(issuer, {
      commonName: 'server',
      dnsNames: ['localhost'],
      ipAddresses: ['127.0.0.1'],
      usages: ['server'],
      now,
    });
  const yearLater = new Date(Math.floor(now.getTime() / 1000) * 1000 + 365 * 24 * 3600 * 1000).toISOString();
  const shownAs = (commonName: string, organizations: string[], issuer = 'ours') => ({
    ...{ commonName, organizations, issuer, validUntil: yearLater },
  });
  const client = (issuer: CertificateAuthority, commonName: string, organizations: string[], notAfter?: Date) =>
    issueCertificate(issuer, { commonName, organizations, usages: ['client'], now, ...(notAfter ? { notAfter } : {}) });
  const tlsOf = ({ certificatePem, privateKeyPem }: IssuedCertificate) => ({
    cert: certificatePem,
    key: privateKeyPem,
    clientCa: authority.certificatePem,
  });

  let host: HttpHost;
  let port = 0;
  before(async () => {
    host = createHttpHost({ logger: silentLogger, readiness: async () => [] });
    host.app.get('/who', async request => credentialsOfRequest(request));
    ({ port } = await host.listen({ host: '127.0.0.1', port: 0, tls: tlsOf(server(authority)) }));
  });
  after(() => host.close({ graceMs: 0 }));

  async function who(options: object): Promise<RequestCredentials> {
    const sent = request({ host: '127.0.0.1', port, path: '/who', ca: authority.certificatePem, ...options });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return JSON.parse(text) as RequestCredentials;
  }
  const showing = ({ certificatePem, privateKeyPem }: IssuedCertificate) => ({
    cert: certificatePem,
    key: privateKeyPem,
    agent: new Agent({ maxCachedSessions: 0 }),
  });

  test('are not demanded', async () => {
    assert.deepEqual(await who({ agent: new Agent() }), {});
  });

  test('of our authority name user and groups, with commas and several organizations', async () => {
    const certificate = shownAs('ann, the first', ['devs', 'ops+x=y', 'O=fake\nCN=admin']);
    const shown = showing(client(authority, certificate.commonName, certificate.organizations));
    assert.deepEqual(await who(shown), { certificate });
  });

  test('without organizations name a user without groups', async () => {
    assert.deepEqual(await who(showing(client(authority, 'ann', []))), {
      certificate: shownAs('ann', []),
    });
  });

  for (const [site, counts] of [
    ['cross-site', false],
    ['same-site', false],
    ['same-origin', true],
    ['none', true],
  ] as const)
    test(`${counts ? 'count' : 'count for nothing'} in a request that a browser calls ${site}`, async () => {
      const shown = { ...showing(client(authority, 'ann', [])), headers: { 'sec-fetch-site': site } };
      assert.equal('certificate' in (await who(shown)), counts);
    });

  test('of an unknown authority with the same name count for nothing', async () => {
    assert.deepEqual(await who(showing(client(stranger, 'admin', ['system:masters']))), {});
  });

  test('meant for servers count for nothing', async () => {
    assert.deepEqual(await who(showing(server(authority))), {});
  });

  test('stay with every request of the connection, and with a resumed session', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const shown = { ...showing(client(authority, 'ann', ['devs'])), agent };
    const certificate = shownAs('ann', ['devs']);
    for (let turn = 0; turn < 2; turn += 1) assert.deepEqual(await who(shown), { certificate });
    agent.destroy();
    assert.deepEqual(await who(shown), { certificate });
    agent.destroy();
  });

  test('of an unknown authority count for nothing in a resumed session either', async () => {
    const shown = { ...showing(client(stranger, 'admin', ['system:masters'])), agent: new Agent({ keepAlive: true }) };
    assert.deepEqual(await who(shown), {});
    shown.agent.destroy();
    assert.deepEqual(await who(shown), {});
    shown.agent.destroy();
  });

  test('a session begun without a certificate stays anonymous', async () => {
    const agent = new Agent({ keepAlive: true });
    for (let turn = 0; turn < 2; turn += 1) {
      assert.deepEqual(await who({ agent }), {});
      agent.destroy();
    }
  });

  test('old TLS versions are rejected', async () => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      ca: authority.certificatePem,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    const [error] = (await once(socket, 'error')) as [unknown];
    assert.ok(error instanceof Error);
  });

  test('a renewed server certificate is shown to new connections', async () => {
    const fresh = createCertificateAuthority({ commonName: 'fresh', now });
    host.renewTls({ ...tlsOf(server(fresh)), clientCa: [authority.certificatePem, fresh.certificatePem] });
    const shown = { ...showing(client(fresh, 'eve', [])), ca: fresh.certificatePem };
    assert.deepEqual(await who(shown), { certificate: shownAs('eve', [], 'fresh') });
    assert.deepEqual(
      (await who({ ...showing(client(authority, 'ann', [])), ca: fresh.certificatePem })).certificate?.commonName,
      'ann',
    );
  });
});
