import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { type Client, createClient, loadKubeconfig } from '@chandlery/client';
import { startTestLandscape } from '@chandlery/testing';
import type { DisruptionBudget } from '../../model/workloads/disruption.ts';
import { refs } from './refs.ts';
import { startWorkloads } from './start-workloads.ts';
import {
  at,
  deploymentOf,
  jobOf,
  podsOf,
  sleeping,
  startTestCluster,
  startTestNode,
  untilObject,
  untilRolledOut,
  within,
} from './test-workloads.ts';

const budgetOf = (app: string, spec: DisruptionBudget['spec']): DisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: app, namespace: 'default' },
  spec: { selector: { matchLabels: { app } }, ...spec },
});

const untilCounted = (client: Client, name: string, wanted: Partial<NonNullable<DisruptionBudget['status']>>) =>
  untilObject<DisruptionBudget>(client, refs.podDisruptionBudgets, name, ({ status }) =>
    Object.entries(wanted).every(([field, value]) => status?.[field as keyof typeof status] === value),
  );

const evict = (client: Client, name: string): Promise<unknown> =>
  client.create({ ...at(refs.pods, name), subresource: 'eviction' }, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace: 'default' },
  } as never);

test('a budget follows its pods, and evictions at once never exceed it', async () => {
  await using cluster = await startTestCluster();
  const { client } = cluster;
  await client.create(within(refs.podDisruptionBudgets), budgetOf('web', { minAvailable: '50%' }));
  await untilCounted(client, 'web', { disruptionsAllowed: 0, expectedPods: 0, observedGeneration: 1 });
  await client.create(within(refs.deployments), deploymentOf('web', [sleeping], { replicas: 4 }));
  await untilRolledOut(client, 'web');
  await untilCounted(client, 'web', { expectedPods: 4, desiredHealthy: 2, currentHealthy: 4, disruptionsAllowed: 2 });
  const pods = await podsOf(client, 'web');
  const evictions = await Promise.allSettled(pods.map(({ metadata }) => evict(client, metadata.name ?? '')));
  const rejections = evictions.flatMap(each => (each.status === 'rejected' ? [each.reason as unknown] : []));
  assert.equal(rejections.length, 2);
  assert.ok(rejections.every(reason => isError(reason, 'TooManyRequests')));
  const { status } = await untilCounted(client, 'web', { currentHealthy: 4, disruptionsAllowed: 2 });
  assert.deepEqual(status?.disruptedPods ?? {}, {}, 'the new pods replace the deleted ones');
});

test('a budget of percentages for pods without a scale allows nothing, and reports why', async () => {
  await using cluster = await startTestCluster();
  const { client } = cluster;
  const job = jobOf('batch', sleeping);
  const template = { ...job.spec?.template, metadata: { labels: { app: 'batch' } } };
  await client.create(within(refs.jobs), { ...job, spec: { ...job.spec, template } });
  await client.create(within(refs.podDisruptionBudgets), budgetOf('batch', { maxUnavailable: 1 }));
  const { status } = await untilObject<DisruptionBudget>(client, refs.podDisruptionBudgets, 'batch', budget =>
    (budget.status?.conditions ?? []).some(({ reason }) => reason === 'SyncFailed'),
  );
  assert.equal(status?.disruptionsAllowed, 0);
  assert.match(status?.conditions?.[0]?.message ?? '', /Job "batch" .* use a number in minAvailable/);
});

test('kubectl drain ends when budgets allow it, and otherwise keeps what must stay', { timeout: 180_000 }, async () => {
  await using landscape = await startTestLandscape();
  await using client = createClient(loadKubeconfig(landscape.kubeconfig, { context: 'onboarding' }));
  await using machine = await startTestNode();
  const api = { server: `${landscape.url}/clusters/onboarding`, caPem: landscape.ca };
  await using _ = startWorkloads({ client, node: machine.node, clusterName: 'onboarding', api, stopGraceSeconds: 0 });
  const cluster = landscape.cluster('onboarding');
  const run = (...args: string[]) => cluster.kubectl(args);
  const succeed = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args);
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  await client.create(within(refs.deployments), deploymentOf('web', [sleeping], { replicas: 3 }));
  await client.create(within(refs.podDisruptionBudgets), budgetOf('web', { minAvailable: 2 }));
  await untilCounted(client, 'web', { currentHealthy: 3, disruptionsAllowed: 1 });
  assert.match(await succeed('get', 'pdb', 'web'), /web +2 +N\/A +1 /);

  const stuck = await run('drain', 'laptop', '--timeout=10s', '--grace-period=0', '--force');
  assert.notEqual(stuck.code, 0);
  assert.match(stuck.stderr, /Cannot evict pod as it would violate the pod's disruption budget/);
  const { status } = await client.get<DisruptionBudget>(at(refs.podDisruptionBudgets, 'web'));
  assert.deepEqual([status?.currentHealthy, status?.disruptionsAllowed], [2, 0], 'one was evicted, two had to stay');

  await succeed('patch', 'pdb', 'web', '--type=merge', '-p', '{"spec":{"minAvailable":"0%"}}');
  await untilCounted(client, 'web', { desiredHealthy: 0, disruptionsAllowed: 2 });
  await succeed('drain', 'laptop', '--timeout=60s', '--grace-period=0', '--force');
  const left = (await podsOf(client, 'web')).filter(({ spec }) => spec?.nodeName !== undefined);
  assert.deepEqual(left, []);
  await succeed('uncordon', 'laptop');
  await untilCounted(client, 'web', { currentHealthy: 3 });
});
