import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { loadServerConfig, silentLogger } from '@chandlery/platform';
import { type RunningLandscape, startLandscape } from '@chandlery/server';
import { type TempFolder, tempFolder } from '@chandlery/testing';
import { type Ran, runCli } from '../test-cli.ts';

describe('projects and workspaces on the command line', () => {
  let folder: TempFolder;
  let landscape: RunningLandscape;
  const cli = (...args: string[]): Promise<Ran> => runCli(args, { cwd: folder.path });

  before(async () => {
    folder = await tempFolder();
    const argv = ['--port=0', '--xds-port=0', `--data-dir=${folder.join('.chandlery')}`];
    landscape = await startLandscape(loadServerConfig({ argv, env: {} }).values, { logger: silentLogger });
  });
  after(async () => {
    await landscape[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  test('a project with workspaces stays, and its deletion says for what', async () => {
    assert.equal((await cli('project', 'create', 'acme', '--wait')).code, 0);
    assert.equal((await cli('workspace', 'create', 'dev', '--project', 'acme', '--wait')).code, 0);
    const { code, stderr } = await cli('project', 'delete', 'acme', '--yes', '--timeout', '1');
    assert.equal(code, 1);
    assert.match(stderr, /^Why: {3}it is still there after 1 s: It goes when these are deleted: Workspace "dev"\.?$/m);
    assert.match(stderr, /^Next: {2}.*"npx chandlery describe project\.core\.openmcp\.cloud\/acme" says/m);
    assert.equal((await cli('workspace', 'delete', 'dev', '--project', 'acme', '--yes')).code, 0);
  });
});
