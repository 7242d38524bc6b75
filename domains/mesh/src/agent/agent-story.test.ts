import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@chandlery/platform';
import { tempFolder } from '@chandlery/testing';
import { startTestAuthority } from '../certificates/test-authority.ts';
import { typeUrls } from '../model/resource.ts';
import { createLoadAggregate } from '../server/load-and-status/load-aggregate.ts';
import { TestProxyRegistry } from '../server/test-registry.ts';
import { testIdentity } from '../server/test-server.ts';
import { openXdsServer } from '../server/xds-server.ts';
import { connectXds } from '../test-xds-client/test-connect-xds.ts';
import { createDiscoveryStreams } from '../xds/discovery-streams.ts';
import { type CertificateFiles, readCertificateFolder } from './certificate-folder.ts';
import { manageCertificate } from './manage-certificate.ts';
import { openTunnel } from './open-tunnel.ts';

test('an agent requests a certificate from the real authority, and a client gets a response through the tunnel', async () => {
  await using mesh = await startTestAuthority();
  await using folder = await tempFolder();
  const { authority } = mesh;
  const registry = new TestProxyRegistry();
  registry.addMesh('acme').set('cluster', 'a');
  using streams = createDiscoveryStreams();
  const loadReports = createLoadAggregate({ clock: systemClock });
  const listen = { host: '127.0.0.1', port: 0 };
  await using server = await openXdsServer({ ...listen, authority, registry, streams, loadReports });
  await using _kept = await manageCertificate({
    folder: folder.path,
    requestCertificate: async csr => ({
      ...authority.sign({ csr, identity: testIdentity }),
      trustBundle: authority.trustBundle,
    }),
  });
  const readCertificate = (): CertificateFiles => readCertificateFolder(folder.path) ?? assert.fail('no files');
  const target = { host: '127.0.0.1', port: server.port };
  await using tunnel = await openTunnel({ listen, target, readCertificate });
  const address = { host: '127.0.0.1', port: tunnel.port };
  await using connection = await connectXds({ address, node: { id: 'proxy-1' } });
  const stream = connection.open();
  stream.send({ typeUrl: typeUrls.cluster });
  assert.equal((await stream.next()).resources[0]?.name, 'a');
  assert.deepEqual(
    [...server.listClients()].map(({ proxy }) => proxy.identity),
    [testIdentity],
  );
});
