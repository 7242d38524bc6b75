import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually, startProcess, startTestLandscape, tempFolder } from '@chandlery/testing';

const program = join(import.meta.dirname, '../../../apps/cli/bin/chandlery.mjs');
const providerPath = '/clusters/platform/apis/openmcp.cloud/v1alpha1/serviceproviders/never-ready';

/** A provider whose init cannot begin: no program stands for its image. */
const files = {
  'validation.yaml': {
    provider: 'never-ready',
    service: { apiVersion: 'example.org/v1', kind: 'Boat', spec: {} },
    update: { size: 1 },
  },
  'install.yaml': {
    apiVersion: 'openmcp.cloud/v1alpha1',
    kind: 'ServiceProvider',
    metadata: { name: 'never-ready' },
    spec: { image: 'example.org/never-ready:v1' },
  },
  'config.yaml': { apiVersion: 'example.org/v1', kind: 'ProviderConfig', metadata: { name: 'never-ready' } },
};

test('Ctrl-C in a validation says what is left behind and how to remove it', async () => {
  await using folder = await tempFolder();
  for (const [name, content] of Object.entries(files)) await writeFile(folder.join(name), JSON.stringify(content));
  await using landscape = await startTestLandscape();
  const args = ['provider', 'validate', 'never-ready', '-f', folder.join('validation.yaml')];
  await using validation = await startProcess(process.execPath, [program, ...args, '--data-dir', landscape.dataDir]);
  await eventually(async () => (await landscape.request(providerPath)).status === 200, { timeoutMs: 60_000 });
  validation.signal('SIGINT');
  assert.deepEqual(await validation.ended, { code: 130, signal: null });
  const said = validation.stderr();
  assert.match(said, /^Interrupted\. What the validation has installed is still there:$/m);
  assert.match(said, /^ +kubectl --context onboarding delete project validate-\w+$/m);
  assert.match(said, /^ +kubectl --context platform delete serviceprovider never-ready\b/m);
});
