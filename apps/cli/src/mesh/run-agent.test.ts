import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { readCertificateFolder, writeCertificateFolder } from '@chandlery/mesh/agent';
import { eventually } from '@chandlery/testing';
import { askThrough, firstWords, startAgent } from './test-agent.ts';
import { startTestControlPlane } from './test-control-plane.ts';
import { startTestMeshServer, type TestMeshServer } from './test-mesh-server.ts';
import { away, startTestPlace } from './test-place.ts';
import { createTestSigner } from './test-signer.ts';

const certificateIn = (mesh: TestMeshServer): X509Certificate => {
  const files = readCertificateFolder(mesh.folder.join('certificate'));
  assert.ok(files);
  return new X509Certificate(files.cert);
};

describe('the agent', () => {
  test('carries plain connections to the control plane in the name of the workload', async () => {
    await using place = await startTestPlace();
    await using agent = await startAgent(place.mesh);
    const said = await askThrough(agent.port);
    assert.match(said, /^URI:spiffe:.*\/tenant\/t\/cluster\/eu-1\/ns\/shop\/sa\/web /);
  });

  test('takes over a certificate that is still good, also that of a proxy of the workload', async () => {
    await using place = await startTestPlace();
    const { mesh } = place;
    await (await startAgent(mesh, { proxyId: 'p' }))[Symbol.asyncDispose]();
    const first = certificateIn(mesh);
    assert.match(first.subjectAltName ?? '', /\/sa\/web\/proxy\/p$/);
    await (await startAgent(mesh, { proxyId: 'p' }))[Symbol.asyncDispose]();
    assert.equal(certificateIn(mesh).fingerprint256, first.fingerprint256);
    await (await startAgent(mesh))[Symbol.asyncDispose]();
    assert.match(certificateIn(mesh).subjectAltName ?? '', /\/sa\/web$/);
  });

  test('keeps the certificate of the workload beside that of its proxy, in a folder of an earlier version too', async () => {
    await using place = await startTestPlace();
    const folder = place.mesh.folder.join('certificate');
    const workloadIn = (): X509Certificate => {
      const files = readCertificateFolder(folder) ?? assert.fail();
      const leaf = new X509Certificate(files.workload ?? assert.fail('no certificate of the workload'));
      assert.ok(leaf.checkPrivateKey(createPrivateKey(files.key)));
      return leaf;
    };
    await (await startAgent(place.mesh, { proxyId: 'p' }))[Symbol.asyncDispose]();
    const first = workloadIn();
    assert.match(first.subjectAltName ?? '', /\/sa\/web$/);
    const { workload: _, ...earlier } = readCertificateFolder(folder) ?? assert.fail();
    writeCertificateFolder(folder, earlier);
    assert.equal(readCertificateFolder(folder)?.workload, undefined);
    await (await startAgent(place.mesh, { proxyId: 'p' }))[Symbol.asyncDispose]();
    assert.notEqual(workloadIn().fingerprint256, first.fingerprint256);
  });

  test("leaves a folder alone that is another account's, proxy's or mesh's", async () => {
    const signers = [createTestSigner(), createTestSigner('other')] as const;
    let present = 0;
    await using mesh = await startTestMeshServer(request => signers[present]?.script(request));
    await using controlPlane = await startTestControlPlane(signers[0]);
    const xds = () => ({ host: '127.0.0.1', port: controlPlane.port });
    await (await startAgent(mesh, { xds }))[Symbol.asyncDispose]();
    const mine = certificateIn(mesh).fingerprint256;
    const account = { cluster: 'eu-1', namespace: 'shop', name: 'api' };
    await assert.rejects(startAgent(mesh, { account }), { code: 'FolderTaken', message: /account shop\/web of/ });
    await assert.rejects(startAgent(mesh, { proxyId: 'p' }), { code: 'FolderTaken', message: /shop\/web .*itself/ });
    present = 1;
    await assert.rejects(startAgent(mesh), { code: 'FolderTaken', message: /shop\/web .*in mesh t$/ });
    assert.equal(certificateIn(mesh).fingerprint256, mine);
  });

  for (const [how, often] of [
    ['when it renews its certificate', { renewEveryMs: 20 }],
    ['when it asks for the roots', { trustPollMs: 20 }],
  ] as const)
    test(`follows a new root ${how}: with another certificate, and connections that are made anew`, async () => {
      await using place = await startTestPlace();
      const { signer, controlPlane } = place;
      await using agent = await startAgent(place.mesh, often);
      const oldRoot = new X509Certificate(signer.bundle()).fingerprint256;
      const held = connect(agent.port, '127.0.0.1').on('error', () => undefined);
      assert.ok((await firstWords(held)).endsWith(oldRoot));
      const cut = once(held, 'close');
      signer.rotate();
      controlPlane.trust();
      await cut;
      const newRoot = new X509Certificate(signer.bundle()).fingerprint256;
      assert.notEqual(newRoot, oldRoot);
      const said = await eventually(() => askThrough(agent.port));
      assert.ok(said.endsWith(newRoot), said);
    });

  test('goes on with what it has while the landscape is away', async () => {
    await using place = await startTestPlace();
    const { mesh } = place;
    await using agent = await startAgent(mesh, { renewEveryMs: 10 });
    place.answer = away;
    const asked = mesh.requests.length;
    await eventually(() => mesh.requests.length > asked + 2);
    assert.match(await askThrough(agent.port), /\/sa\/web /);
  });
});
