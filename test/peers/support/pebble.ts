import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createCertificateAuthority, issueCertificate } from '@chandlery/platform';
import { eventually, freePorts, startProcess, tempFolder } from '@chandlery/testing';
import { Agent, request } from 'undici';

/** A Pebble, which is an ACME server that likes to be difficult. */
export interface Pebble extends AsyncDisposable {
  /** For the ACME issuer. */
  readonly access: { readonly directoryUrl: string; readonly caPem: string; readonly accountKeyPem: string };
  /** The root that its certificates lead to. */
  rootPem(): Promise<string>;
}

/** Starts Pebble on loopback; it looks up challenges on a DNS server on loopback. */
export async function startPebble(program: string, dnsPort: number): Promise<Pebble> {
  const folder = await tempFolder();
  const [port = 0, managementPort = 0, httpPort = 0, tlsPort = 0] = await freePorts(4);
  const authority = createCertificateAuthority({ commonName: 'test', now: new Date() });
  const own = issueCertificate(authority, {
    commonName: 'pebble',
    dnsNames: ['localhost'],
    ipAddresses: ['127.0.0.1'],
    usages: ['server'],
    now: new Date(),
  });
  await writeFile(folder.join('cert.pem'), own.certificatePem);
  await writeFile(folder.join('key.pem'), own.privateKeyPem);
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: folder.join('cert.pem'),
    privateKey: folder.join('key.pem'),
    httpPort,
    tlsPort,
  };
  await writeFile(folder.join('config.json'), JSON.stringify({ pebble }));
  const server = await startProcess(
    program,
    ['-config', folder.join('config.json'), '-strict', '-dnsserver', `127.0.0.1:${dnsPort}`],
    // It rejects some nonces and reuses some authorisations on purpose; only the waiting before a validation is left out.
    { env: { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '20' } },
  );
  const agent = new Agent({ connect: { ca: authority.certificatePem } });
  const get = async (url: string): Promise<string> =>
    (await request(url, { dispatcher: agent, headers: { 'user-agent': 'test' } })).body.text();
  const directoryUrl = `https://127.0.0.1:${port}/dir`;
  await eventually(async () => (await get(directoryUrl)).includes('newOrder'), { what: 'Pebble', timeoutMs: 60_000 });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    access: {
      directoryUrl,
      caPem: authority.certificatePem,
      accountKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    },
    rootPem: () => get(`https://127.0.0.1:${managementPort}/roots/0`),
    async [Symbol.asyncDispose]() {
      await agent.destroy();
      await server.kill9();
      await folder[Symbol.asyncDispose]();
    },
  };
}
