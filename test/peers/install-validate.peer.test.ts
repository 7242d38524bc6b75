// A provider that was written from installed packages passes the whole validation. It takes minutes.
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePorts, runProcess, startProcess, tempFolder } from '@chandlery/testing';
import { cleanEnvironment, must, packRelease } from '../install/support/release.ts';

test('a provider from tarballs is valid in every row', async () => {
  await using folder = await tempFolder('chandlery-validate-');
  const release = await packRelease(folder);
  const place = folder.join('empty');
  const provider = join(place, 'ice-cream');
  await mkdir(place);
  const quiet = ['--no-audit', '--no-fund'];
  await must('npm', ['install', ...quiet, release.command], { cwd: place, env: cleanEnvironment });
  const program = join(place, 'node_modules/.bin/chandlery');
  const [port, xdsPort] = await freePorts(2);
  await using _server = await startProcess(program, ['up', '--port', `${port}`, '--xds-port', `${xdsPort}`], {
    cwd: place,
    env: cleanEnvironment,
    ready: /is ready\./,
    readyTimeoutMs: 60_000,
  });
  await must(program, ['provider', 'new', 'ice-cream'], { cwd: place, env: cleanEnvironment });
  const install = ['install', '--no-save', '--omit=dev', ...quiet, release.command, ...release.libraries];
  await must('npm', install, { cwd: provider, env: cleanEnvironment });
  const args = ['run', 'validate', '--', '--data-dir', join(place, '.chandlery')];
  const { code, stdout, stderr } = await runProcess('npm', args, {
    cwd: provider,
    env: cleanEnvironment,
    timeoutMs: 900_000,
  });
  assert.equal(code, 0, stdout + stderr);
});
