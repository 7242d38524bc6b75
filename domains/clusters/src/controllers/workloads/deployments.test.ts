import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import { isAlive } from '../../adapters/process-node/test-node.ts';
import type { Deployment, PodObject, ReplicaSet } from '../../model/workloads/objects.ts';
import { isActive, isPodReady } from '../../model/workloads/pods.ts';
import { refs } from './refs.ts';
import {
  at,
  deploymentOf,
  pidOf,
  podsOf,
  shell,
  sleeping,
  startTestCluster,
  untilGone,
  untilObject,
  untilRolledOut,
  within,
} from './test-workloads.ts';

const noneMissing = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } };
const containers = (script: string): JsonObject =>
  ({ spec: { template: { spec: { containers: [shell(script)] } } } }) as unknown as JsonObject;
const revisionOf = ({ metadata }: Deployment | ReplicaSet): string | undefined =>
  metadata.annotations?.['deployment.kubernetes.io/revision'];

describe('a deployment on a local cluster', { timeout: 120_000 }, () => {
  test('becomes available with its pods as processes, and then rests', async () => {
    await using cluster = await startTestCluster();
    const { client, folder } = cluster;
    await client.create(within(refs.deployments), deploymentOf('web', [sleeping]));
    const { status, metadata } = await untilRolledOut(client, 'web');
    const reasons = status?.conditions?.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`);
    assert.deepEqual(reasons, ['Available=True MinimumReplicasAvailable', 'Progressing=True NewReplicaSetAvailable']);
    assert.equal(revisionOf({ metadata } as Deployment), '1');
    const pods = await podsOf(client, 'web');
    assert.equal(pods.length, 3);
    for (const pod of pods) {
      assert.deepEqual(
        [pod.spec?.nodeName, pod.status?.phase, pod.status?.qosClass],
        ['laptop', 'Running', 'BestEffort'],
      );
      assert.ok(isAlive(pidOf(folder, pod)));
    }
    const versions = async () => [
      ...(await podsOf(client, 'web')).map(pod => pod.metadata.resourceVersion),
      (await client.get(at(refs.deployments, 'web'))).metadata.resourceVersion,
      (await client.get({ ...refs.nodes, name: 'laptop' })).metadata.resourceVersion,
    ];
    const before = await versions();
    await client.patch(at(refs.deployments, 'web'), { type: 'merge', body: { metadata: { labels: { seen: 'yes' } } } });
    await untilObject(client, refs.deployments, 'web', object => object.metadata.labels?.['seen'] === 'yes');
    assert.deepEqual((await versions()).slice(0, 3), before.slice(0, 3), 'pods are not written without need');
  });

  test('changes its template without ever having fewer ready pods than allowed', async () => {
    await using cluster = await startTestCluster();
    const { client, node } = cluster;
    await client.create(within(refs.deployments), deploymentOf('web', [sleeping], noneMissing));
    await untilRolledOut(client, 'web');
    const readyCounts: number[] = [];
    const isReady = (uid: string): boolean =>
      node.statusOf(uid)?.conditions.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
    using _ = { [Symbol.dispose]: node.onStatus(() => readyCounts.push(node.list().filter(isReady).length)) };
    await client.patch(at(refs.deployments, 'web'), { type: 'merge', body: containers('exec sleep 601') });
    const rolled = await untilRolledOut(client, 'web');
    assert.equal(revisionOf(rolled), '2');
    assert.ok(Math.min(...readyCounts) >= 3, `never fewer than three: ${readyCounts.join(' ')}`);
    await eventually(async () => (await podsOf(client, 'web')).length === 3);
    const commands = (await podsOf(client, 'web')).map(pod => pod.spec?.containers[0]?.command?.at(-1));
    assert.deepEqual(commands, ['exec sleep 601', 'exec sleep 601', 'exec sleep 601']);
  });

  test('goes back to an earlier template by way of the set that it had', async () => {
    await using cluster = await startTestCluster();
    const { client } = cluster;
    await client.create(within(refs.deployments), deploymentOf('web', [sleeping], { replicas: 1 }));
    await untilRolledOut(client, 'web');
    await client.patch(at(refs.deployments, 'web'), { type: 'merge', body: containers('exec sleep 601') });
    await untilRolledOut(client, 'web');
    await client.patch(at(refs.deployments, 'web'), { type: 'merge', body: containers('exec sleep 600') });
    const back = await untilObject<Deployment>(client, refs.deployments, 'web', object => revisionOf(object) === '3');
    assert.equal(revisionOf(back), '3');
    await untilRolledOut(client, 'web');
    const { items } = await client.list<ReplicaSet>(within(refs.replicaSets));
    assert.deepEqual(items.map(set => `${revisionOf(set)}: ${set.spec?.replicas}`).sort(), ['2: 0', '3: 1']);
  });

  test('keeps the configured number of old sets', async () => {
    await using cluster = await startTestCluster();
    const { client } = cluster;
    const more = { replicas: 1, revisionHistoryLimit: 1 };
    await client.create(within(refs.deployments), deploymentOf('web', [sleeping], more));
    await untilRolledOut(client, 'web');
    for (const seconds of [601, 602]) {
      await client.patch(at(refs.deployments, 'web'), { type: 'merge', body: containers(`exec sleep ${seconds}`) });
      await untilRolledOut(client, 'web');
    }
    await eventually(async () => (await client.list(within(refs.replicaSets))).items.length === 2);
    const { items } = await client.list<ReplicaSet>(within(refs.replicaSets));
    assert.deepEqual(items.map(revisionOf).sort(), ['2', '3']);
  });

  test('heals when a process is killed, and when a pod is deleted', async () => {
    await using cluster = await startTestCluster();
    const { client, folder } = cluster;
    await client.create(within(refs.deployments), deploymentOf('web', [sleeping], { replicas: 1 }));
    await untilRolledOut(client, 'web');
    const [pod] = await podsOf(client, 'web');
    assert.ok(pod);
    const { name = '', uid } = pod.metadata;
    process.kill(pidOf(folder, pod), 'SIGKILL');
    const healed = await untilObject<PodObject>(
      client,
      refs.pods,
      name,
      object => object.status?.containerStatuses?.[0]?.restartCount === 1 && isPodReady(object),
    );
    assert.equal(healed.status?.containerStatuses?.[0]?.lastState.terminated?.exitCode, 137);
    await client.delete(at(refs.pods, name));
    await eventually(async () =>
      (await podsOf(client, 'web')).some(other => other.metadata.uid !== uid && isPodReady(other)),
    );
    await untilGone(client, refs.pods, name);
  });

  test('scales up and to nothing, and leaves no process when it is deleted', async () => {
    await using cluster = await startTestCluster();
    const { client, node, folder } = cluster;
    await client.create(within(refs.deployments), deploymentOf('web', [sleeping], { replicas: 1 }));
    await untilRolledOut(client, 'web');
    const scale = (replicas: number) =>
      client.patch(
        { ...at(refs.deployments, 'web'), subresource: 'scale' },
        { type: 'merge', body: { spec: { replicas } } },
      );
    await scale(4);
    await untilRolledOut(client, 'web');
    const pids = (await podsOf(client, 'web')).map(pod => pidOf(folder, pod));
    assert.equal(new Set(pids).size, 4);
    await scale(0);
    await untilRolledOut(client, 'web');
    await eventually(() => pids.every(pid => !isAlive(pid)));
    await scale(2);
    await untilRolledOut(client, 'web');
    const last = (await podsOf(client, 'web')).filter(isActive).map(pod => pidOf(folder, pod));
    await client.delete(at(refs.deployments, 'web'), { propagationPolicy: 'Background' });
    await eventually(async () => (await podsOf(client, 'web')).length === 0 && node.list().length === 0);
    await eventually(() => last.every(pid => !isAlive(pid)));
  });

  test('recreates only when the old pods are deleted', async () => {
    await using cluster = await startTestCluster();
    const { client, node } = cluster;
    const slow = shell('trap "sleep 0.3; exit 0" TERM; while :; do sleep 0.05; done');
    const strategy = { type: 'Recreate' };
    await client.create(within(refs.deployments), deploymentOf('web', [slow], { replicas: 2, strategy }));
    await untilRolledOut(client, 'web');
    const before = new Set(node.list());
    const isRunning = (uid: string): boolean =>
      node.statusOf(uid)?.containerStatuses.some(({ state }) => state.running !== undefined) ?? false;
    const overlaps: string[] = [];
    const look = (): void => {
      const running = node.list().filter(isRunning);
      const isMixed = running.some(uid => before.has(uid)) && running.some(uid => !before.has(uid));
      if (isMixed) overlaps.push(running.join(' '));
    };
    using _ = { [Symbol.dispose]: node.onStatus(look) };
    await client.patch(at(refs.deployments, 'web'), { type: 'merge', body: containers('exec sleep 601') });
    await untilRolledOut(client, 'web');
    assert.deepEqual(overlaps, []);
  });

  test('says so when a rollout makes no progress, and waits while it is paused', async () => {
    await using cluster = await startTestCluster();
    const { client } = cluster;
    const unknown = { name: 'main', image: 'acme/none:1' };
    const more = { replicas: 1, progressDeadlineSeconds: 1 };
    await client.create(within(refs.deployments), deploymentOf('web', [unknown], more));
    const late = await untilObject<Deployment>(client, refs.deployments, 'web', ({ status }) =>
      Boolean(status?.conditions?.some(({ reason }) => reason === 'ProgressDeadlineExceeded')),
    );
    assert.equal(late.status?.unavailableReplicas, 1);
    const [pod] = await podsOf(client, 'web');
    assert.match(pod?.status?.containerStatuses?.[0]?.state.waiting?.reason ?? '', /ErrImagePull|ImagePullBackOff/);
    await client.patch(at(refs.deployments, 'web'), { type: 'merge', body: { spec: { paused: true } } });
    await client.patch(at(refs.deployments, 'web'), { type: 'merge', body: containers('exec sleep 601') });
    await untilObject<Deployment>(client, refs.deployments, 'web', ({ status, metadata }) =>
      Boolean(
        status?.observedGeneration === metadata.generation &&
          status?.conditions?.some(({ reason }) => reason === 'DeploymentPaused'),
      ),
    );
    assert.equal((await client.list(within(refs.replicaSets))).items.length, 1);
    await client.patch(at(refs.deployments, 'web'), { type: 'merge', body: { spec: { paused: false } } });
    await untilRolledOut(client, 'web');
  });

  test('adopts a set that fits and lets go a pod that does not', async () => {
    await using cluster = await startTestCluster();
    const { client } = cluster;
    await client.create(within(refs.deployments), deploymentOf('web', [sleeping], { replicas: 1 }));
    const { metadata } = await untilRolledOut(client, 'web');
    await client.delete(at(refs.deployments, 'web'), { propagationPolicy: 'Orphan' });
    await untilGone(client, refs.deployments, 'web');
    const [orphan] = (await client.list<ReplicaSet>(within(refs.replicaSets))).items;
    assert.ok(orphan);
    await client.create(within(refs.deployments), deploymentOf('web', [sleeping], { replicas: 1 }));
    const again = await untilRolledOut(client, 'web');
    assert.notEqual(again.metadata.uid, metadata.uid);
    const sets = (await client.list<ReplicaSet>(within(refs.replicaSets))).items;
    assert.deepEqual(
      sets.map(set => [set.metadata.uid, set.metadata.ownerReferences?.[0]?.uid]),
      [[orphan.metadata.uid, again.metadata.uid]],
    );
    const [pod] = await podsOf(client, 'web');
    const name = pod?.metadata.name ?? '';
    await client.patch(at(refs.pods, name), { type: 'merge', body: { metadata: { labels: { app: 'other' } } } });
    const released = await untilObject(
      client,
      refs.pods,
      name,
      object => (object.metadata.ownerReferences ?? []).length === 0,
    );
    assert.equal(released.metadata.name, name);
    await eventually(async () => (await podsOf(client, 'web')).length === 1);
  });
});
