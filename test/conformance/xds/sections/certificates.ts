import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runProcess } from '@chandlery/testing';
import { createCsr } from '../../../../domains/mesh/src/certificates/csr/create-csr.ts';
import { secretNames } from '../../../../domains/mesh/src/model/resource-names.ts';
import { otherMethods } from '../../../../domains/mesh/src/server/discovery/discovery-methods.ts';
import { TestByteCall } from '../../../../domains/mesh/src/test-xds-client/test-byte-call.ts';
import { connectXds } from '../../../../domains/mesh/src/test-xds-client/test-connect-xds.ts';
import { CheckedConnection } from '../support/checked-connection.ts';
import { type MeshLandscape, namespace, tenant } from '../support/mesh-landscape.ts';
import { TestProxy } from '../support/test-proxy.ts';

/** gRPC status code. */
const invalidArgument = 3;

const commonNameOf = (pem: string): string => /^CN=(.*)$/m.exec(new X509Certificate(pem).subject ?? '')?.[1] ?? '';

/** Certificates, and the places of keys. */
export function describeCertificates(mesh: () => MeshLandscape): void {
  describe('Certificates', () => {
    test('29. none has a common name of more than 64 characters', async () => {
      for (const length of [1, 63, 64, 65, 200]) {
        const account = 'a'.repeat(length);
        const { cert } = await mesh().certificate({ account });
        assert.ok(commonNameOf(cert).length <= 64, `${length} characters`);
        assert.match(new X509Certificate(cert).subjectAltName ?? '', new RegExp(`/sa/${account}$`));
      }
    });

    test('a proxy gets the certificate of its workload beside its own, for the same key', async () => {
      const { landscape } = mesh();
      await mesh().certificate({ account: 'web-two' });
      const { csr, privateKey } = createCsr();
      const path = `/mesh/v1/clusters/${tenant}/namespaces/${namespace}/serviceaccounts/web-two/certificates`;
      const answer = await landscape.request(path, { body: { csr, proxyId: 'two-1' } });
      const signed = answer.json<{ certificate: string; workloadCertificate: string }>();
      const [own, workload] = [
        new X509Certificate(signed.certificate),
        new X509Certificate(signed.workloadCertificate),
      ];
      for (const each of [own, workload]) assert.ok(each.checkPrivateKey(createPrivateKey(privateKey)));
      assert.match(own.subjectAltName ?? '', /\/sa\/web-two\/proxy\/two-1$/);
      assert.match(workload.subjectAltName ?? '', /\/sa\/web-two$/);
      assert.ok(!answer.text.includes('PRIVATE KEY'));
    });

    test('a private key is never sent, for any certificate and request', async () => {
      const account = 'web-agent';
      const names = ['service-cert', secretNames.inboundRoots];
      const asWorkload = await mesh().certificate({ account });
      const asProxy = await mesh().certificate({ account }, account);
      for (const tls of [asWorkload, asProxy])
        for (const dialect of ['envoy', 'grpc'] as const) {
          await using connection = await mesh().connect({ account, dialect, metadata: { dialect: 'envoy' } }, tls);
          const proxy = new TestProxy(connection, connection.open(), mesh().root);
          proxy.ask('secret', names);
          const { resources } = await proxy.next('secret');
          const told = resources.map(resource => proxy.decode<{ name: string }>(resource).name);
          assert.deepEqual(told, [secretNames.inboundRoots]);
        }
    });

    test('an Envoy with a bootstrap of an earlier version is rejected, with the command to run', async () => {
      const tls = await mesh().certificate({ account: 'web-old' }, 'web-old');
      const address = { host: '127.0.0.1', port: mesh().landscape.xdsPort };
      const node = { id: 'web-old', userAgentName: 'envoy' };
      await using connection = new CheckedConnection(await connectXds({ address, tls, node }), mesh().root);
      const proxy = new TestProxy(connection, connection.open(), mesh().root);
      proxy.ask('secret', ['service-cert']);
      const { code, message } = await proxy.stream.ended();
      assert.equal(code, invalidArgument);
      assert.match(message, /no longer sends private keys.*mesh bootstrap envoy/);
    });

    test('32. a private key is in no row, log, dump or response', async () => {
      const { landscape } = mesh();
      await using proxy = await mesh().proxy({ account: 'web-32' });
      proxy.ask('secret', [secretNames.inboundRoots]);
      proxy.stream.nack(await proxy.next('secret'), `I do not like ${secretNames.inboundRoots}`);
      await proxy.handled();

      const dump = await landscape.request(`/mesh/v1/meshes/${tenant}/proxies/web-32`);
      assert.ok(dump.text.includes(secretNames.inboundRoots), 'its name is shown');
      const program = join(import.meta.dirname, '../../../../apps/cli/bin/chandlery.mjs');
      const flags = ['--kubeconfig', landscape.kubeconfig, '--mesh', tenant];
      const printed = await runProcess(process.execPath, [program, 'mesh', 'config', 'web-32', ...flags]);
      assert.ok(printed.stdout.includes(secretNames.inboundRoots), printed.stderr);
      const places = {
        'the dump of the proxy': dump.text,
        'all proxies': (await landscape.request(`/mesh/v1/meshes/${tenant}/proxies`)).text,
        'chandlery mesh config': printed.stdout + printed.stderr,
        'the status of clients': await clientStatus(mesh()),
        'what the server printed': landscape.process.output(),
        metrics: (await landscape.request('/metrics')).text,
        ...(await storedObjects(mesh())),
        ...(await textFiles(landscape.dataDir)),
      };
      for (const [place, text] of Object.entries(places)) assert.ok(!text.includes('PRIVATE KEY'), place);
    });
  });
}

/** All objects of all kinds of the mesh, as kubectl prints them, by kind. */
async function storedObjects({ landscape }: MeshLandscape): Promise<Record<string, string>> {
  const cluster = landscape.cluster('platform');
  const listed = await cluster.kubectl([
    'api-resources',
    '--api-group',
    'mesh.chandlery.io',
    '--verbs',
    'list',
    '-o',
    'name',
  ]);
  const kinds = listed.stdout.trim().split('\n');
  assert.ok(kinds.length > 3, listed.stderr);
  const printed: Record<string, string> = {};
  for (const kind of kinds) printed[kind] = (await cluster.kubectl(['get', kind, '-A', '-o', 'yaml'])).stdout;
  return printed;
}

/** The client status of the mesh (CSDS), as text. */
async function clientStatus(mesh: MeshLandscape): Promise<string> {
  await using connection = await mesh.connect({ account: 'web-32', nodeId: 'asks' });
  const call = new TestByteCall(connection.connection.session, otherMethods.fetchClientStatus);
  call.send(Buffer.alloc(0));
  call.finish();
  const answer = (await call.next()).toString('latin1');
  assert.ok(answer.includes(secretNames.inboundRoots), 'the secret is known by name');
  return answer;
}

/** Logs of the data folder, including the audit log. */
async function textFiles(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.log'));
  assert.ok(names.includes('audit.log'));
  return Object.fromEntries(
    await Promise.all(names.map(async name => [name, await readFile(join(folder, name), 'utf8')])),
  ) as Record<string, string>;
}
