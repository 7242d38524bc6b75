import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, loadKubeconfig } from '@chandlery/client';
import { startTestLandscape } from '@chandlery/testing';
import { refs } from './refs.ts';
import { startWorkloads } from './start-workloads.ts';
import { deploymentOf, sleeping, startTestNode, within } from './test-workloads.ts';

test('kubectl rolls out, looks back, undoes, restarts and scales over HTTP', { timeout: 120_000 }, async () => {
  await using landscape = await startTestLandscape();
  await using client = createClient(loadKubeconfig(landscape.kubeconfig, { context: 'onboarding' }));
  await using machine = await startTestNode();
  const api = { server: `${landscape.url}/clusters/onboarding`, caPem: landscape.ca };
  const { node } = machine;
  await using _ = startWorkloads({ client, node, clusterName: 'onboarding', api, stopGraceSeconds: 0 });
  const cluster = landscape.cluster('onboarding');
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await cluster.kubectl(args);
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const status = (): Promise<string> => run('rollout', 'status', 'deployment/web', '--timeout=30s');

  await client.create(within(refs.deployments), deploymentOf('web', [sleeping], { replicas: 2 }));
  assert.match(await status(), /deployment "web" successfully rolled out/);
  await run('set', 'env', 'deployment/web', 'COLOUR=green');
  assert.match(await status(), /successfully rolled out/);
  await run('annotate', 'deployment/web', 'kubernetes.io/change-cause=paint it green');
  await run('rollout', 'restart', 'deployment/web');
  assert.match(await status(), /successfully rolled out/);
  assert.match(await run('rollout', 'history', 'deployment/web'), /1 .*\n2 .*\n3 +paint it green/);
  await run('rollout', 'undo', 'deployment/web', '--to-revision=1');
  assert.match(await status(), /successfully rolled out/);
  assert.doesNotMatch(await run('get', 'deployment', 'web', '-o', 'yaml'), /green$/m);
  await run('scale', 'deployment/web', '--replicas=3');
  assert.match(await status(), /successfully rolled out/);
  assert.match(await run('get', 'deployment', 'web'), /web +3\/3 +3 +3/);
  assert.match(await run('get', 'nodes'), /laptop +Ready/);
  await run('create', 'job', 'once', '--image=none', '--', 'true');
  await run('wait', '--for=condition=complete', 'job/once', '--timeout=30s');
  await run('delete', 'deployment', 'web', '--wait', '--cascade=foreground');
  assert.equal(await run('get', 'pods', '-l', 'app=web', '-o', 'name'), '');
});
