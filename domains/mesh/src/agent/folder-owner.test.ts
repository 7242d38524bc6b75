import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { createCertificateAuthority, issueCertificate } from '@chandlery/platform';
import { tempFolder } from '@chandlery/testing';
import { writeCertificateFolder } from './certificate-folder.ts';
import { checkFolderOwner, type FolderClaim } from './folder-owner.ts';

const day = 24 * 60 * 60 * 1000;
const web = { cluster: 'eu-1', namespace: 'shop', serviceAccount: 'web' };
const webUri = 'spiffe://cluster.local/tenant/acme/cluster/eu-1/ns/shop/sa/web';

/** Writes a certificate into a folder, as an agent does; it may be expired. */
function writeFor(folder: string, uris: readonly string[], isOver = false): void {
  const now = new Date(Date.now() - (isOver ? 2 * day : 0));
  const signer = createCertificateAuthority({ commonName: 'root', now });
  const notAfter = new Date(now.getTime() + day);
  const issued = issueCertificate(signer, { uris, usages: ['client'], now, notAfter });
  writeCertificateFolder(folder, {
    cert: issued.certificatePem,
    key: issued.privateKeyPem,
    ca: signer.certificatePem,
  });
}

describe('the folder of', () => {
  const cases: readonly { why: string; uris?: readonly string[]; claim: FolderClaim; taken?: RegExp }[] = [
    { why: 'the same account is its own', claim: web },
    { why: 'the same account in the same mesh is its own', claim: { ...web, tenant: 'acme' } },
    {
      why: 'the same account under another trust domain is its own',
      uris: [webUri.replace('cluster.local', 'new.test')],
      claim: web,
    },
    { why: 'its own proxy is its own', uris: [`${webUri}/proxy/p`], claim: { ...web, proxyId: 'p' } },
    { why: 'a proxy may go to the workload itself', uris: [`${webUri}/proxy/p`], claim: web },
    {
      why: 'of another account is rejected',
      claim: { ...web, serviceAccount: 'api' },
      taken: /belongs to account shop\/web of cluster eu-1$/,
    },
    {
      why: 'of another namespace is rejected',
      claim: { ...web, namespace: 'bank' },
      taken: /shop\/web of cluster eu-1$/,
    },
    { why: 'of another cluster is rejected', claim: { ...web, cluster: 'eu-2' }, taken: /shop\/web of cluster eu-1$/ },
    { why: 'of another mesh is rejected', claim: { ...web, tenant: 'other' }, taken: /shop\/web .*in mesh acme$/ },
    { why: 'the workload is not for a proxy', claim: { ...web, proxyId: 'p' }, taken: /shop\/web .*itself/ },
    {
      why: 'of another proxy is rejected',
      uris: [`${webUri}/proxy/p`],
      claim: { ...web, proxyId: 'q' },
      taken: /belongs to proxy p of account shop\/web/,
    },
    { why: 'of an owner outside the mesh is rejected', uris: ['https://x'], claim: web, taken: /not of the mesh$/ },
    { why: 'of an ambiguous owner is rejected', uris: [webUri, `${webUri}2`], claim: web, taken: /not of the mesh$/ },
  ];
  for (const { why, uris = [webUri], claim, taken } of cases)
    for (const isOver of [false, true])
      test(`${why}${isOver ? ', also when its certificate has ended' : ''}`, async () => {
        await using folder = await tempFolder();
        writeFor(folder.path, uris, isOver);
        const check = (): unknown => checkFolderOwner(folder.path, claim);
        if (taken === undefined) assert.doesNotThrow(check);
        else assert.throws(check, { code: 'FolderTaken', message: taken });
      });

  test('without an owner may be used: missing, empty, or with other files', async () => {
    await using folder = await tempFolder();
    assert.equal(checkFolderOwner(folder.join('missing'), web), undefined);
    assert.equal(checkFolderOwner(folder.path, web), undefined);
    writeFileSync(folder.join('cert.pem'), 'nonsense');
    assert.equal(checkFolderOwner(folder.path, web), undefined);
  });

  test('of another owner is rejected also without its key', async () => {
    await using folder = await tempFolder();
    writeFor(folder.path, [webUri]);
    rmSync(folder.join('key.pem'));
    assert.throws(() => checkFolderOwner(folder.path, { ...web, serviceAccount: 'api' }), { code: 'FolderTaken' });
  });
});
