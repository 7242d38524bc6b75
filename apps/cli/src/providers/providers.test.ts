import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createClient, loadKubeconfig } from '@chandlery/client';
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
