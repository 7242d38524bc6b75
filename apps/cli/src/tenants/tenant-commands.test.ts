import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
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

  test('empty lists say how the first one is created, unless something was chosen', async () => {
    const hint = 'Create one: npx chandlery controlplane create NAME --project PROJECT --workspace WORKSPACE';
    const { code, stdout, stderr } = await cli('controlplane', 'list');
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '', stderr: `No ControlPlanes found.\n${hint}\n` });
    assert.equal((await cli('get', 'controlplanes', '-A', '-l', 'a=b')).stderr, 'No ControlPlanes found.\n');
    const instances = await cli('instance', 'list');
    assert.match(instances.stderr, /^No service instances found\.\nCreate one: npx chandlery instance create NAME /);
    assert.equal((await cli('instance', 'list', '-q', "name eq 'x'")).stderr, 'No service instances found.\n');
    assert.match((await cli('broker', 'list')).stderr, /^No .*\nRegister one: npx chandlery broker register NAME URL /);
  });

  test('a project with workspaces stays, and its deletion says for what', async () => {
    assert.equal((await cli('project', 'create', 'acme', '--wait')).code, 0);
    assert.equal((await cli('workspace', 'create', 'dev', '--project', 'acme', '--wait')).code, 0);
    const { code, stderr } = await cli('project', 'delete', 'acme', '--yes', '--timeout', '1');
    assert.equal(code, 1);
    assert.match(stderr, /^Why: {3}it is still there after 1 s: It goes when these are deleted: Workspace "dev"\.?$/m);
    assert.match(stderr, /^Next: {2}.*"npx chandlery describe project\.core\.openmcp\.cloud\/acme" says/m);
    assert.match((await cli('project', 'list')).stdout, /^acme +<none> +project-acme +acme +Terminating +\S+$/m);
    const { stdout } = await cli('workspace', 'list');
    assert.match(stdout, /^NAMESPACE +NAME +DISPLAY NAME +CONTENTS +PHASE +AGE\nproject-acme +dev +.* +Ready +\S+$/m);
    assert.equal((await cli('workspace', 'delete', 'dev', '--project', 'acme', '--yes')).code, 0);
  });

  test('who comes new is led to a workspace, also after mistakes', async () => {
    writeFileSync(folder.join('zoe'), (await cli('kubeconfig', 'onboarding', '--user', 'zoe')).stdout);
    const zoe = (...args: string[]): Promise<Ran> => cli(...args, '--kubeconfig', 'zoe');
    const toWorkspace = /Create a workspace \("npx chandlery project create NAME", /;
    assert.match((await zoe('order', 'create', 'dinosaurs')).stderr, toWorkspace);
    assert.match((await zoe('marketplace')).stderr, toWorkspace);
    assert.equal((await zoe('project', 'create', 'zoes', '--wait')).code, 0);
    const nowhere = await zoe('workspace', 'create', 'dev');
    assert.equal(nowhere.code, 2);
    assert.match(nowhere.stderr, /--project is missing: say of which project the workspace is/);
    const misspelt = await zoe('workspace', 'create', 'dev', '--project', 'zoess');
    assert.match(
      misspelt.stderr,
      /^Next: {2}Did you mean project "zoes"\? Ask an administrator of project "zoess" for it\.$/m,
    );
    for (const name of ['one', 'two'])
      assert.equal((await zoe('workspace', 'create', name, '--project', 'zoes', '--wait')).code, 0);
    const person = 'system:serviceaccount:chandlery-users:vic';
    const shared = await zoe(
      'workspace',
      'create',
      'both',
      '--project',
      'zoes',
      '--viewer',
      person,
      '--admin',
      'ann',
      '--wait',
    );
    assert.equal(shared.code, 0, shared.stderr);
    const { stdout } = await zoe('workspace', 'get', 'both', '--project', 'zoes', '-o', 'json');
    const sa = { kind: 'ServiceAccount', namespace: 'chandlery-users' };
    assert.deepEqual((JSON.parse(stdout) as { spec: { members: unknown } }).spec.members, [
      { ...sa, name: 'zoe', roles: ['admin'] },
      { kind: 'User', name: 'ann', roles: ['admin'] },
      { ...sa, name: 'vic', roles: ['view'] },
    ]);
    writeFileSync(folder.join('vic'), (await cli('kubeconfig', 'onboarding', '--user', 'vic')).stdout);
    const order = 'urn:ivcap:order:7886e0f3-1904-4b65-827c-6022ffc7792b';
    const viewing = await cli('order', 'cancel', order, '--kubeconfig', 'vic');
    assert.match(viewing.stderr, /^Next: {2}Ask an administrator of workspace "both" of project "zoes" for it/m);
    assert.equal((await zoe('workspace', 'delete', 'both', '--project', 'zoes', '--yes')).code, 0);
    const unclear = await zoe('order', 'create', 'dinosaurs', '--plan', 'standard.x1');
    assert.match(unclear.stderr, /^Why: {3}say in which tenant: project-zoes--ws-one, project-zoes--ws-two$/m);
    assert.match(unclear.stderr, /^Next: {2}Say it with -n NAME\.$/m);
  });
});
