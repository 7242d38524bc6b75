import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { connect, createServer } from 'node:tls';
import { isError } from '@chandlery/api';
import type { CertificateIssuer, InstanceCertificate } from '../../ports.ts';

/** An issuer to try. */
export interface OpenedIssuer extends AsyncDisposable {
  readonly issuer: CertificateIssuer;
  /** Where the hosts are. */
  readonly domain: string;
  /** The root that clients trust. */
  rootPem(): Promise<string>;
}

/** Describes what every issuer of certificates does. */
export function describeCertificateIssuerContract(
  title: string,
  open: () => Promise<OpenedIssuer>,
  options: { readonly skip?: string | false } = {},
): void {
  describe(`certificate issuer: ${title}`, options, () => {
    let opened: OpenedIssuer;
    before(async () => {
      opened = await open();
    });
    after(() => opened?.[Symbol.asyncDispose]());

    test('a certificate is good for TLS under each of its hosts, and under no other', async () => {
      const hosts = [`one.${opened.domain}`, `admin.one.${opened.domain}`];
      const certificate = await opened.issuer.issue({ hosts });
      const ca = await opened.rootPem();
      for (const host of hosts) assert.equal(await handshake(certificate, host, ca), 'trusted');
      assert.match(await handshake(certificate, `two.${opened.domain}`, ca), /ERR_TLS_CERT_ALTNAME_INVALID/);
    });

    test('key, certificate and end belong together', async () => {
      const { certPem, keyPem, notAfter } = await opened.issuer.issue({ hosts: [`pair.${opened.domain}`] });
      const certificate = new X509Certificate(certPem);
      assert.ok(certificate.checkPrivateKey(createPrivateKey(keyPem)));
      assert.equal(new Date(certificate.validTo).getTime(), notAfter.getTime());
      assert.ok(notAfter.getTime() > Date.now());
    });

    test('a wildcard is certified beside its own domain', async () => {
      const host = `wild.${opened.domain}`;
      const certificate = await opened.issuer.issue({ hosts: [host, `*.${host}`] });
      const ca = await opened.rootPem();
      assert.equal(await handshake(certificate, host, ca), 'trusted');
      assert.equal(await handshake(certificate, `any.${host}`, ca), 'trusted');
    });

    test('each certificate has a key of its own', async () => {
      const hosts = [`again.${opened.domain}`];
      const [first, second] = [await opened.issuer.issue({ hosts }), await opened.issuer.issue({ hosts })];
      assert.notEqual(first.keyPem, second.keyPem);
    });

    test('hosts that no certificate can name are rejected for good', async () => {
      for (const hosts of [[], [''], ['not a host'], ['192.0.2.1'], [`a.*.${opened.domain}`]])
        await assert.rejects(opened.issuer.issue({ hosts }), isTerminal, hosts.join());
    });
  });
}

const isTerminal = (error: unknown): boolean => isError(error, 'TerminalError');

/** Serves with the certificate and connects under a name; returns `trusted` or the code of what is wrong. */
async function handshake({ certPem, keyPem }: InstanceCertificate, servername: string, ca: string): Promise<string> {
  const server = createServer({ cert: certPem, key: keyPem }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', servername, ca });
  try {
    await once(socket, 'secureConnect');
    return 'trusted';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    socket.destroy();
    server.close();
  }
}
