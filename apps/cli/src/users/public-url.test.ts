import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadServerConfig, silentLogger } from '@chandlery/platform';
import { startLandscape } from '@chandlery/server';
import { tempFolder } from '@chandlery/testing';
import { runCli } from '../test-cli.ts';

test('the kubeconfig of a person has the public URL, that of the operator the address of the machine', async () => {
  await using folder = await tempFolder();
  const argv = [
    '--port=0',
    '--xds-port=0',
    '--public-url=https://chandlery.example.org',
    `--data-dir=${folder.join('.chandlery')}`,
  ];
  await using _landscape = await startLandscape(loadServerConfig({ argv, env: {} }).values, { logger: silentLogger });
  const person = await runCli(['kubeconfig', 'onboarding', '--user', 'zoe'], { cwd: folder.path });
  assert.match(person.stdout, /server: https:\/\/chandlery\.example\.org\/clusters\/onboarding$/m, person.stderr);
  const own = await runCli(['kubeconfig', 'onboarding'], { cwd: folder.path });
  assert.match(own.stdout, /server: https:\/\/127\.0\.0\.1:\d+\/clusters\/onboarding$/m, own.stderr);
});
