import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runProcess } from '@chandlery/testing';
import { secretNames } from '../../../../domains/mesh/src/model/resource-names.ts';
import { otherMethods } from '../../../../domains/mesh/src/server/discovery-methods.ts';
import { TestByteCall } from '../../../../domains/mesh/src/test-xds-client/test-byte-call.ts';
import { type MeshLandscape, tenant } from '../support/mesh-landscape.ts';
import { TestProxy } from '../support/test-proxy.ts';

interface DecodedSecret {
  readonly tls_certificate: {
    readonly certificate_chain: { readonly inline_string: string };
    readonly private_key: { readonly inline_string: string };
  };
}

/** The certificate that a proxy is told for its workload, with its key. */
async function workloadSecret(proxy: TestProxy): Promise<{ chain: string; key: string }> {
  proxy.ask('secret', [secretNames.workload]);
  const { resources } = await proxy.next('secret');
  const { tls_certificate: told } = proxy.decode<DecodedSecret>(resources[0]);
  return { chain: told.certificate_chain.inline_string, key: told.private_key.inline_string };
}

const commonNameOf = (pem: string): string => /^CN=(.*)$/m.exec(new X509Certificate(pem).subject ?? '')?.[1] ?? '';

/** What is certified, and where keys go. */
export function describeCertificates(mesh: () => MeshLandscape): void {
  describe('Certificates', () => {
    test('29. none has a common name of more than 64 characters', async () => {
      for (const length of [1, 63, 64, 65, 200]) {
        const account = 'a'.repeat(length);
        const { cert } = await mesh().certificate({ account });
        await using proxy = await mesh().proxy({ account, nodeId: `long-${length}` });
        const { chain } = await workloadSecret(proxy);
        for (const pem of [cert, chain]) {
          assert.ok(commonNameOf(pem).length <= 64, `${length} characters`);
          assert.match(new X509Certificate(pem).subjectAltName ?? '', new RegExp(`/sa/${account}$`));
        }
      }
    });

    test('a private key is not sent to who has the certificate of the workload, as whoever connects through an agent', async () => {
      const account = 'web-agent';
      const tls = await mesh().certificate({ account });
      for (const dialect of ['envoy', 'grpc'] as const) {
        await using connection = await mesh().connect({ account, dialect, metadata: { dialect: 'envoy' } }, tls);
        const proxy = new TestProxy(connection, connection.open(), mesh().root);
        proxy.ask('secret', [secretNames.workload, secretNames.inboundRoots]);
        const { resources } = await proxy.next('secret');
        const told = resources.map(resource => proxy.decode<{ name: string }>(resource).name);
        assert.deepEqual(told, [secretNames.inboundRoots]);
      }
    });

    test('32. a private key is in no log, dump or answer but its own', async () => {
      const { landscape } = mesh();
      await using proxy = await mesh().proxy({ account: 'web-32' });
      const { key } = await workloadSecret(proxy);
      // The middle of it: no line break, escape or encoding of the frame can hide it.
      const [, secret = ''] = key.split('\n');
      assert.ok(secret.length > 40 && key.includes('PRIVATE KEY'));
      const last = proxy.responses('secret').at(-1) ?? assert.fail();
      proxy.stream.nack(last, `I do not like ${secretNames.workload}`);
      await proxy.handled();

      const dump = await landscape.request(`/mesh/v1/meshes/${tenant}/proxies/web-32`);
      assert.ok(dump.text.includes(secretNames.workload), 'its name is shown');
      const program = join(import.meta.dirname, '../../../../apps/cli/bin/chandlery.mjs');
      const flags = ['--kubeconfig', landscape.kubeconfig, '--mesh', tenant];
      const printed = await runProcess(process.execPath, [program, 'mesh', 'config', 'web-32', ...flags]);
      assert.ok(printed.stdout.includes(secretNames.workload), printed.stderr);
      const places = {
        'the dump of the proxy': dump.text,
        'all proxies': (await landscape.request(`/mesh/v1/meshes/${tenant}/proxies`)).text,
        'chandlery mesh config': printed.stdout + printed.stderr,
        'the status of clients': await clientStatus(mesh()),
        'what the server printed': landscape.process.output(),
        metrics: (await landscape.request('/metrics')).text,
        ...(await textFiles(landscape.dataDir)),
      };
      for (const [place, text] of Object.entries(places)) assert.ok(!text.includes(secret), place);
    });
  });
}

/** Everything that the server tells of the clients of the mesh (CSDS), as text. */
async function clientStatus(mesh: MeshLandscape): Promise<string> {
  await using connection = await mesh.connect({ account: 'web-32', nodeId: 'asks' });
  const call = new TestByteCall(connection.connection.session, otherMethods.fetchClientStatus);
  call.send(Buffer.alloc(0));
  call.finish();
  const answer = (await call.next()).toString('latin1');
  assert.ok(answer.includes(secretNames.workload), 'the secret is known by name');
  return answer;
}

/** Logs of the data folder, the audit log among them. */
async function textFiles(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.log'));
  assert.ok(names.includes('audit.log'));
  return Object.fromEntries(
    await Promise.all(names.map(async name => [name, await readFile(join(folder, name), 'utf8')])),
  ) as Record<string, string>;
}
