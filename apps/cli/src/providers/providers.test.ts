import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { createClient, loadKubeconfig } from '@chandlery/client';
import { hostImages } from '@chandlery/clusters/kinds';
import { loadServerConfig, silentLogger } from '@chandlery/platform';
import { type ControlPlane, controlPlanes, serviceProviders } from '@chandlery/providers/kinds';
import { isConditionTrue } from '@chandlery/runtime';
import { type RunningLandscape, startLandscape } from '@chandlery/server';
import { eventually, type TempFolder, tempFolder } from '@chandlery/testing';
import { type Ran, runCli } from '../test-cli.ts';

describe('providers and what they cause, on the command line', () => {
  let folder: TempFolder;
  let landscape: RunningLandscape;
  const cli = (...args: string[]): Promise<Ran> => runCli(args, { cwd: folder.path });

  before(async () => {
    folder = await tempFolder();
    const argv = ['--port=0', '--xds-port=0', `--data-dir=${folder.join('.chandlery')}`];
    landscape = await startLandscape(loadServerConfig({ argv, env: {} }).values, { logger: silentLogger });
    await using client = createClient(loadKubeconfig(landscape.kubeconfigPath, { context: 'onboarding' }));
    const planes = { ...controlPlanes.ref, namespace: 'default' };
    await client.create(planes, controlPlanes.object({ name: 'shop' }, {}));
    await eventually(async () => isConditionTrue(await client.get<ControlPlane>({ ...planes, name: 'shop' }), 'Ready'));
  });
  after(async () => {
    await landscape[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  test('provider list shows who offers what', async () => {
    const { code, stdout } = await cli('provider', 'list');
    assert.equal(code, 0);
    assert.match(stdout, /^chandlery +ClusterProvider +Ready/m);
  });

  test('provider describe shows the state of one, and what to do when there is none', async () => {
    const ready = await cli('provider', 'describe', 'chandlery');
    assert.match(ready.stdout, /^ClusterProvider chandlery: Ready$/m);
    assert.doesNotMatch(ready.stdout, /^Next:/m);
    const missing = await cli('provider', 'describe', 'nobody');
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /Why: {3}there is no provider "nobody"\nNext: {2}See what there is/);
  });

  test('provider describe leads to the pods of a provider that does not get ready', async () => {
    await using platform = createClient(loadKubeconfig(landscape.kubeconfigPath, { context: 'platform' }));
    const { ref, apiVersion, kind } = serviceProviders;
    await platform.create(ref, { apiVersion, kind, metadata: { name: 'ghost' }, spec: { image: 'nowhere/ghost:v1' } });
    const { stdout } = await cli('provider', 'describe', 'ghost');
    assert.match(stdout, /^Next: {2}npx chandlery trace serviceprovider\/ghost$/m);
    await platform.delete({ ...ref, name: 'ghost' });
  });

  test('provider logs is readable on a terminal, and as the provider wrote it elsewhere', async () => {
    const line = {
      level: 'warn',
      message: 'cannot start',
      stack: 'Error: x\n    at init (file:///srv/ice/provider.ts:7:1)',
    };
    await writeFile(
      folder.join('chatty.mjs'),
      `console.log(${JSON.stringify(JSON.stringify(line))}); process.exit(1);`,
    );
    await using platform = createClient(loadKubeconfig(landscape.kubeconfigPath, { context: 'platform' }));
    const image = 'example.com/chatty';
    const command = ['node', './chatty.mjs'];
    await platform.create(
      hostImages.ref,
      hostImages.object({ name: 'chatty' }, { image, folder: folder.path, command }),
    );
    const { ref, apiVersion, kind } = serviceProviders;
    await platform.create(ref, { apiVersion, kind, metadata: { name: 'chatty' }, spec: { image } });
    const log = (isTTY: boolean, ...flags: string[]): Promise<Ran> =>
      runCli(['provider', 'logs', 'chatty', ...flags], { cwd: folder.path, isTTY });
    await eventually(async () => (await log(false)).stdout.startsWith('init: '));
    assert.equal((await log(false, '--init')).stdout, `${JSON.stringify(line)}\n`);
    assert.equal((await log(true, '-o', 'json', '--init')).stdout, `${JSON.stringify(line)}\n`);
    const place = '    at init (file:///srv/ice/provider.ts:7:1)';
    assert.equal((await log(true)).stdout, `init: warn: cannot start\ninit: ${place}\n`);
    assert.match(
      (await log(true, '--init', '--timestamps')).stdout,
      /^\d{4}\S+Z warn: cannot start\n {4}at init .*\n$/,
    );
    assert.match((await log(false, '-o', 'yaml')).stderr, /--output must be one of json, not "yaml"/);
    await platform.delete({ ...ref, name: 'chatty' });
  });

  test('trace follows a control plane to the cluster that serves it', async () => {
    const { code, stdout } = await cli('trace', 'controlplane/shop');
    assert.equal(code, 0);
    assert.match(stdout, /^ControlPlane\/shop \(default\) +✔ ready {2}onboarding$/m);
    assert.match(stdout, /ClusterRequest\/shop.*\n.*└─ Cluster\/mcp-\w+ .*\n.*└─ LogicalCluster\/mcp-\w+/);
    const { stdout: json } = await cli('trace', 'controlplane/shop', '-o', 'json');
    const { kind, children } = JSON.parse(json) as { kind: string; children: unknown[] };
    assert.equal(kind, 'ControlPlane');
    assert.ok(children.length > 0);
    assert.match((await cli('trace', 'controlplane/shop', '-o', 'dot')).stdout, /^digraph trace/);
  });

  test('trace and plan say what they need', async () => {
    for (const [args, message] of [
      [['trace', 'shop'], /KIND\/NAME/],
      [['trace', 'pod/nobody'], /there is no pod "nobody" on any cluster\nNext: .*npx chandlery get pod -A/],
      [['trace', 'projet/x'], /Why: .*is called "projet"; did you mean "project"\?\nNext: +Correct the kind/],
      [['trace', 'controlplane/shop', '-o', 'xml'], /one of tree, wide/],
      [['plan', 'postgresdatabase/shop'], /no provider offers the kind "postgresdatabase"/],
      [['provider', 'validate', 'nobody'], /there is neither .*validation\.yaml/],
      [['provider', 'install', '/nonexistent'], /install\.yaml does not exist/],
      [['provider', 'new', 'Not A Name'], /cannot be the name of a provider/],
    ] as const) {
      const { code, stderr } = await cli(...args);
      assert.notEqual(code, 0, args.join(' '));
      assert.match(stderr, message);
    }
  });
});
