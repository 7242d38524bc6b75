import assert from 'node:assert/strict';
import { request as sendRequest } from 'node:https';
import { describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import {
  constantAuthority,
  createCertificateAuthority,
  IssuedHostCertificates,
  issueCertificate,
  systemClock,
} from '@chandlery/platform';
import type { HttpHost } from './http-host.ts';
import { readAll, sendRaw, startTestHost } from './test-host.ts';
import { hostNameOf } from './virtual-hosts.ts';

const addSite = (host: HttpHost): void => {
  host.app.get('/own', (_request, reply) => reply.send('own route'));
  host.handleUnder('/raw', (_request, response) => void response.end('raw route'));
  host.upgradeUnder('/socket', (_request, socket) => void socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
  host.addVirtualHost({
    claims: name => name === 'site.example',
    routeClass: 'site',
    handler: (request, response, common) => {
      response.writeHead(200, common);
      response.end(`site ${request.url}`);
    },
  });
};

const bodyOf = (answer: string): string => answer.split('\r\n\r\n').slice(1).join('\r\n\r\n');

describe('a virtual host', () => {
  const cases: readonly (readonly [line: string, headers: string, body: RegExp])[] = [
    ['GET /own HTTP/1.1', 'Host: site.example', /^site \/own$/],
    ['GET /raw HTTP/1.1', 'Host: SITE.example.:7443', /^site \/raw$/],
    ['GET /healthz HTTP/1.1', 'Host: site.example', /^site \/healthz$/],
    ['GET https://site.example/own HTTP/1.1', 'Host: 127.0.0.1', /^site \/own$/],
    ['GET /socket HTTP/1.1', 'Host: site.example\r\nUpgrade: websocket', /^site \/socket$/],
    ['GET /own HTTP/1.1', 'Host: localhost', /own route/],
    ['GET https://localhost/own HTTP/1.1', 'Host: site.example', /own route/],
    ['GET /raw HTTP/1.1', 'Host: other.example', /raw route/],
  ];
  for (const [line, headers, body] of cases)
    test(`${line} with ${JSON.stringify(headers)} gives ${body}`, async () => {
      await using started = await startTestHost(addSite);
      const connection = headers.includes('Upgrade') ? 'Upgrade' : 'close';
      const socket = await sendRaw(started.port, `${line}\r\n${headers}\r\nConnection: ${connection}\r\n\r\n`);
      if (connection === 'Upgrade') setTimeout(() => socket.end(), 200);
      const answer = await readAll(socket);
      assert.match(answer.includes('chunked') ? (bodyOf(answer).split('\r\n')[1] ?? '') : bodyOf(answer), body);
    });
});

describe('the host name of a request', () => {
  const cases: readonly (readonly [host: string | undefined, url: string, name: string])[] = [
    [undefined, '/', ''],
    ['A.example:443', '/', 'a.example'],
    ['[::1]:7443', '/', '[::1]'],
    ['a.example', 'http://b.example:1/x', 'b.example'],
    ['a.example', 'http://user@b.example', 'b.example'],
    ['a.example.', '/http://b.example', 'a.example'],
  ];
  for (const [host, url, name] of cases)
    test(`of ${host} and ${url} is "${name}"`, () =>
      assert.equal(hostNameOf({ url, headers: host === undefined ? {} : { host } }), name));
});

describe('a listener with certificates of host names', () => {
  const now = new Date();
  const authority = createCertificateAuthority({ commonName: 'test', now });

  /** Sends a request; returns the name in the server's certificate, the status and the body. */
  const ask = (port: number, servername: string, host = servername): Promise<readonly [string, number, string]> =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, servername, path: '/own', ca: authority.certificatePem, agent: false };
      const sent = sendRequest({ ...options, headers: { host } }, response => {
        const { subjectaltname = '' } = (response.socket as TLSSocket).getPeerCertificate();
        let text = '';
        response.on('data', chunk => {
          text += String(chunk);
        });
        response.on('end', () => resolve([subjectaltname, response.statusCode ?? 0, text]));
      });
      sent.on('error', reject).end();
    });

  test('chooses them by SNI, and keeps a connection to the host that it was made for', async () => {
    await using started = await startTestHost(addSite);
    const own = issueCertificate(authority, { dnsNames: ['localhost', 'other.example'], usages: ['server'], now });
    const { port } = await started.host.listen({
      host: '127.0.0.1',
      port: 0,
      tls: { cert: own.certificatePem, key: own.privateKeyPem },
      hostCertificates: new IssuedHostCertificates({
        authority: constantAuthority(authority),
        isServed: name => name === 'site.example',
        clock: systemClock,
      }),
    });
    assert.deepEqual(await ask(port, 'site.example'), ['DNS:site.example', 200, 'site /own']);
    const ownNames = 'DNS:localhost, DNS:other.example';
    assert.deepEqual(await ask(port, 'localhost'), [ownNames, 200, 'own route']);
    assert.deepEqual(await ask(port, 'other.example'), [ownNames, 200, 'own route']);
    assert.deepEqual((await ask(port, 'site.example', 'localhost')).slice(0, 2), ['DNS:site.example', 421]);
    assert.deepEqual(await ask(port, 'localhost', 'site.example'), [ownNames, 200, 'site /own']);
  });
});
