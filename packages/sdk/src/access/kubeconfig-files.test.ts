import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { it } from 'node:test';
import { formatYaml, loadKubeconfig } from '@chandlery/client';
import { tempFolder } from '@chandlery/testing';
import { kubeconfigFiles } from './kubeconfig-files.ts';

it('A kubeconfig in files names the token by its file, which may be renewed', async () => {
  await using folder = await tempFolder();
  const files = kubeconfigFiles(
    formatYaml({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'a', user: { token: 'secret' } }],
    }),
  );
  assert.equal(files.token, 'secret');
  assert.ok(!files.kubeconfig.includes('secret'));
  writeFileSync(folder.join('kubeconfig'), files.kubeconfig);
  writeFileSync(folder.join('token'), files.token);
  assert.equal(loadKubeconfig(folder.join('kubeconfig')).tokenFile, folder.join('token'));
});

it('A kubeconfig in files names the authority by its file, which may be replaced', async () => {
  await using folder = await tempFolder();
  const files = kubeconfigFiles(
    formatYaml({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1', 'certificate-authority-data': 'Q0E=' } }],
      users: [{ name: 'a', user: { token: 'secret' } }],
    }),
  );
  for (const [name, text] of Object.entries(files)) writeFileSync(folder.join(name), text);
  const { caPem, caFile } = loadKubeconfig(folder.join('kubeconfig'));
  assert.deepEqual([caPem, caFile], ['CA', folder.join('cluster-ca.crt')]);
});
