import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { loadServerConfig, silentLogger } from '@chandlery/platform';
import { type RunningLandscape, startLandscape } from '@chandlery/server';
import { type TempFolder, tempFolder } from '@chandlery/testing';
import { type Ran, runCli } from '../test-cli.ts';

describe('people without an account at an OpenID provider', () => {
  let folder: TempFolder;
  let landscape: RunningLandscape;
  const cli = (...args: string[]): Promise<Ran> => runCli(args, { cwd: folder.path });
  const as = (file: string, ...args: string[]): Promise<Ran> => cli(...args, '--kubeconfig', file);
  const kubeconfig = async (file: string, ...args: string[]): Promise<Ran> => {
    const ran = await cli('kubeconfig', ...args);
    assert.equal(ran.code, 0, ran.stderr);
    writeFileSync(folder.join(file), ran.stdout);
    return ran;
  };

  before(async () => {
    folder = await tempFolder();
    const argv = ['--port=0', '--xds-port=0', `--data-dir=${folder.join('.chandlery')}`];
    landscape = await startLandscape(loadServerConfig({ argv, env: {} }).values, { logger: silentLogger });
    await cli('clusters', 'create', 'team-a');
    const project = { apiVersion: 'core.openmcp.cloud/v1alpha1', kind: 'Project', metadata: { name: 'acme' } };
    writeFileSync(folder.join('project.json'), JSON.stringify(project));
    await cli('apply', '-f', 'project.json', '--cluster', 'onboarding');
    await cli('wait', 'project/acme', '--cluster', 'onboarding');
  });
  after(async () => {
    await landscape[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  test('a member of a project gets into its API and nowhere else, until the account is revoked', async () => {
    const { stderr } = await kubeconfig('ann', 'acme', '--user', 'ann', '--ttl', '1h');
    assert.match(stderr, /^user ann has the role admin in project acme; the token is valid until .*user revoke ann\n$/);
    assert.match((await as('ann', 'get', 'ns', '-o', 'name')).stdout, /^namespace\/project-acme$/m);
    assert.match((await as('ann', 'get', 'secrets', '-n', 'default', '--cluster', 'onboarding')).stderr, /Forbidden/);
    assert.match((await as('ann', 'get', 'ns', '--cluster', 'team-a')).stderr, /Code: {2}(Unauthorized|Forbidden)/);

    await assert.rejects(
      kubeconfig('ann', 'acme', '--user', 'ann', '-n', 'project-acme'),
      /no rights in one namespace/,
    );

    const shared = await cli('kubeconfig', 'onboarding', '--user', 'cleo', '--role', 'view');
    assert.match(shared.stderr, /a role needs a namespace/);
    const nowhere = await cli('kubeconfig', 'onboarding', '--user', 'cleo', '-n', 'nowhere');
    assert.match(nowhere.stderr, /Code: {2}NotFound/);
    assert.doesNotMatch((await cli('user', 'list')).stdout, /cleo/, 'who got no rights is not left behind');

    const traced = await as('ann', 'trace', 'proj/acme');
    assert.match(
      traced.stdout,
      /^Project\/acme +✔ ready +onboarding\n└─ Namespace\/project-acme +✔ ready +onboarding\nMore may be .* may not read: platform\.$/m,
    );
    assert.match((await as('ann', 'status')).stdout, /running and ready/);
    assert.match((await as('ann', 'provider', 'list')).stderr, /valid on cluster "acme" only[\s\S]*Code: {2}Forbidden/);

    assert.match((await cli('user', 'list')).stdout, /^ann +valid until .*Z +\d+s$/m);
    const revoked = await cli('user', 'revoke', 'ann');
    assert.equal(revoked.stdout, 'user ann revoked: removed from project acme\n');
    assert.match((await as('ann', 'get', 'ns')).stderr, /Next: .*login[\s\S]*Code: {2}Unauthorized/);
    assert.match((await as('ann', 'trace', 'proj/acme')).stderr, /Next: .*login[\s\S]*Code: {2}Unauthorized/);
    assert.doesNotMatch((await cli('user', 'list')).stdout, /ann/);
    assert.match((await cli('user', 'revoke', 'ann')).stderr, /there is no user "ann"\nNext: .*user list/);
  });

  test('a member of a workspace uses the orders API in it', async () => {
    await kubeconfig('bea', 'acme', '--user', 'bea');
    const workspace = {
      apiVersion: 'core.openmcp.cloud/v1alpha1',
      kind: 'Workspace',
      metadata: { name: 'dev', namespace: 'project-acme' },
    };
    writeFileSync(folder.join('workspace.json'), JSON.stringify(workspace));
    assert.equal((await as('bea', 'apply', '-f', 'workspace.json')).stderr, '');
    assert.equal((await as('bea', 'wait', 'ws/dev', '-n', 'project-acme', '--timeout', '60')).stderr, '');
    assert.match((await as('bea', 'order', 'list')).stderr, /^No orders found/);
    assert.match(
      (await as('bea', 'order', 'list', '-n', 'default')).stderr,
      /may not list orders in namespace default/,
    );
  });

  test('a viewer of a cluster may read and not write; an administrator of a namespace stays in it', async () => {
    await kubeconfig('vic', 'team-a', '--user', 'vic', '--role', 'view');
    assert.equal((await as('vic', 'get', 'cm', '-A')).code, 0);
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } };
    writeFileSync(folder.join('map.json'), JSON.stringify(map));
    const refused = await as('vic', 'apply', '-f', 'map.json');
    assert.match(refused.stderr, /cannot (patch|create) resource "configmaps"[\s\S]*Code: {2}Forbidden/);

    await cli('apply', '-f', 'project.json', '--cluster', 'onboarding');
    await kubeconfig('ned', 'team-a', '--user', 'ned', '-n', 'default');
    assert.equal((await as('ned', 'apply', '-f', 'map.json')).stdout, 'configmap/m created\n');
    assert.match((await as('ned', 'get', 'cm', '-n', 'kube-system')).stderr, /Code: {2}Forbidden/);
  });

  test('whoever has no role may sign in and make a project', async () => {
    const { stderr } = await kubeconfig('zoe', 'onboarding', '--user', 'zoe');
    assert.match(stderr, /may sign in to onboarding/);
    writeFileSync(
      folder.join('own.json'),
      JSON.stringify({ apiVersion: 'core.openmcp.cloud/v1alpha1', kind: 'Project', metadata: { name: 'zoes' } }),
    );
    assert.equal((await as('zoe', 'apply', '-f', 'own.json')).stderr, '');
    assert.match((await as('zoe', 'get', 'projects', '-o', 'name')).stdout, /^project\.core\.openmcp\.cloud\/zoes\n$/);
  });

  test('mistakes are named', async () => {
    const problem = async (...args: string[]): Promise<string> => {
      const { code, stderr } = await cli('kubeconfig', ...args);
      assert.equal(code, 2, stderr);
      return stderr;
    };
    assert.match(await problem('--user', 'ann'), /CLUSTER is missing/);
    assert.match(await problem('team-a', '--user', 'Ann Example'), /cannot be the name of a user/);
    assert.match(await problem('team-a', '--user', 'ann', '--ttl', '5m'), /10m to 8760h, not "5m"/);
    assert.match(await problem('team-a', '--user', 'ann', '--role', 'king'), /admin, edit, view, not "king"/);
    assert.match(await problem('acme', '--user', 'ann', '--role', 'edit'), /admin and view/);
    assert.match(await problem('onboarding', '--user', 'ann', '--role', 'view'), /needs a namespace/);
    assert.match((await cli('kubeconfig', 'nowhere', '--user', 'ann')).stderr, /Code: {2}NotFound/);
    assert.match((await cli('kubeconfig', 'team-b')).stderr, /"team-b"; did you mean "team-a"\?\nNext: .*cluster list/);
  });

  test('a token lasts as long as --ttl says', async () => {
    const { stdout } = await kubeconfig('yan', 'team-a', '--user', 'yan', '--ttl', '8760h');
    const [, claims = ''] = /token: \S+?\.(\S+?)\./.exec(stdout) ?? [];
    const { exp, iat } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp: number; iat: number };
    assert.equal(exp - iat, 8760 * 3600);
  });

  test('limits without a person are rejected: the kubeconfig would hold the credentials of the administrator', async () => {
    for (const limit of [
      ['--role', 'view'],
      ['--ttl', '8h'],
      ['-n', 'default'],
    ]) {
      const { code, stdout, stderr } = await cli('kubeconfig', 'team-a', ...limit);
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
      assert.match(stderr, /--user is missing[\s\S]*Say with --user NAME/);
    }
  });
});
