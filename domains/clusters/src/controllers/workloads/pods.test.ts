import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { loadKubeconfig } from '@chandlery/client';
import { eventually, startTestPlane } from '@chandlery/testing';
import type { ImageMap } from '../../model/pods/images.ts';
import type { EndpointSlice, PodObject } from '../../model/workloads/objects.ts';
import { isPodReady } from '../../model/workloads/pods.ts';
import { refs } from './refs.ts';
import { startWorkloads } from './start-workloads.ts';
import {
  at,
  deploymentOf,
  podsOf,
  shell,
  sleeping,
  startTestCluster,
  startTestNode,
  untilGone,
  untilObject,
  untilRolledOut,
  within,
} from './test-workloads.ts';

const podOf = (name: string, spec: PodObject['spec'], metadata: PodObject['metadata'] = {}): PodObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', ...metadata },
  spec: { terminationGracePeriodSeconds: 1, ...spec, containers: spec?.containers ?? [] },
});

const server = `
  require('node:http')
    .createServer((_, response) => response.end(process.env.CHANDLERY_POD_NAME))
    .listen(Number(process.env.PORT_HTTP), '127.0.0.1');`;

describe('pods on a local cluster', { timeout: 120_000 }, () => {
  test('serve behind a service, each on a port that the node chose', async () => {
    await using cluster = await startTestCluster();
    const { client } = cluster;
    const web = {
      ...shell(''),
      command: ['node', '-e', server],
      ports: [{ name: 'http', containerPort: 8080 }],
      readinessProbe: { httpGet: { port: 'http' }, periodSeconds: 1 },
    };
    const annotations = { 'clusters.chandlery.io/dynamic-ports': 'http' };
    await client.create(within(refs.deployments), deploymentOf('web', [web], { replicas: 2 }, annotations));
    await client.create(within(refs.services), {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { app: 'web' }, ports: [{ name: 'web', port: 80, targetPort: 'http' }] },
    });
    const slicesOf = async (): Promise<readonly EndpointSlice[]> =>
      (
        await client.list<EndpointSlice>(within(refs.endpointSlices), {
          labelSelector: 'kubernetes.io/service-name=web',
        })
      ).items;
    const isServed = (slices: readonly EndpointSlice[]): boolean =>
      slices.length === 2 && slices.every(({ endpoints }) => endpoints?.every(({ conditions }) => conditions.ready));
    const { slices } = await eventually(
      async () => {
        const found = await slicesOf();
        return isServed(found) ? { slices: found } : undefined;
      },
      { timeoutMs: 30_000, what: 'two ready endpoints' },
    );
    const names = await Promise.all(
      slices.map(async ({ endpoints, ports }) => {
        const response = await fetch(`http://${endpoints?.[0]?.addresses[0]}:${ports?.[0]?.port}/`);
        return [endpoints?.[0]?.targetRef?.name, await response.text()];
      }),
    );
    const pods = (await podsOf(client, 'web')).map(({ metadata }) => metadata.name ?? '').sort();
    assert.deepEqual(
      names.sort(),
      pods.map(name => [name, name]),
    );
    await client.patch(at(refs.deployments, 'web'), { type: 'merge', body: { spec: { replicas: 0 } } });
    await eventually(async () => {
      const [only, ...others] = await slicesOf();
      return others.length === 0 && only?.endpoints?.length === 0;
    });
    await client.delete(at(refs.services, 'web'));
    await eventually(async () => (await slicesOf()).length === 0);
  });

  test('find token, certificate, namespace and kubeconfig of their service account, which go with them', async () => {
    const api = { server: 'https://127.0.0.1:7443/clusters/onboarding', caPem: 'a certificate' };
    await using cluster = await startTestCluster({ api });
    const { client, folder } = cluster;
    const script =
      'cp "$KUBECONFIG" config; cat /var/run/secrets/kubernetes.io/serviceaccount/token > token; exec sleep 600';
    await client.create(within(refs.pods), podOf('teller', { containers: [shell(script)] }));
    await client.create(
      within(refs.pods),
      podOf('mute', {
        automountServiceAccountToken: false,
        containers: [shell('echo "[$KUBECONFIG]"; exec sleep 600')],
      }),
    );
    const teller = await untilObject<PodObject>(client, refs.pods, 'teller', isPodReady);
    const home = join(folder, 'pods', teller.metadata.uid ?? '');
    const account = join(home, '.volumes', '.account');
    const text = (file: string): string => readFileSync(join(account, file), 'utf8');
    assert.deepEqual(readdirSync(account).sort(), ['ca.crt', 'kubeconfig', 'namespace', 'token']);
    for (const file of readdirSync(account)) assert.equal(statSync(join(account, file)).mode & 0o777, 0o600, file);
    assert.deepEqual([text('ca.crt'), text('namespace')], ['a certificate', 'default']);
    const claims = JSON.parse(Buffer.from(text('token').split('.')[1] ?? '', 'base64url').toString()) as {
      sub: string;
      'kubernetes.io': { pod: { uid: string } };
    };
    assert.equal(claims.sub, 'system:serviceaccount:default:default');
    assert.equal(claims['kubernetes.io'].pod.uid, teller.metadata.uid);
    const connection = loadKubeconfig(join(account, 'kubeconfig'));
    assert.equal(connection.server, api.server);
    await eventually(() => existsSync(join(home, 'main', 'work', 'token')));
    await eventually(() => readFileSync(join(home, 'main', 'work', 'token'), 'utf8') === text('token'));
    const mute = await untilObject<PodObject>(client, refs.pods, 'mute', isPodReady);
    assert.ok(!existsSync(join(folder, 'pods', mute.metadata.uid ?? '', '.volumes', '.account')));
    await client.delete(at(refs.pods, 'teller'));
    await untilGone(client, refs.pods, 'teller');
    await eventually(() => !existsSync(home));
  });

  test('wait for a value or an image, and continue when it exists', async () => {
    let images: ImageMap = {};
    await using plane = await startTestPlane();
    await using test = await startTestNode({ images: () => images, baseFolder: '/bin' });
    const { client } = plane;
    await using _ = startWorkloads({ client, node: test.node, clusterName: 'onboarding' });
    const env = [{ name: 'WORD', valueFrom: { configMapKeyRef: { name: 'words', key: 'word' } } }];
    const volumes = [{ name: 'words', configMap: { name: 'words' } }];
    const volumeMounts = [{ name: 'words', mountPath: '/words' }];
    const script = 'echo "$WORD"; until grep -q second /words/word; do sleep 0.05; done; cat /words/word';
    const spec = { restartPolicy: 'Never', volumes, containers: [shell(script, { env, volumeMounts })] };
    await client.create(within(refs.pods), podOf('reader', spec));
    const waitsFor = (reason: string) => (pod: PodObject) =>
      pod.status?.containerStatuses?.[0]?.state.waiting?.reason === reason;
    await untilObject<PodObject>(client, refs.pods, 'reader', waitsFor('CreateContainerConfigError'));
    const configMap = (word: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'words', namespace: 'default' },
      data: { word },
    });
    await client.create(within(refs.configMaps), configMap('first'));
    const running = await untilObject<PodObject>(client, refs.pods, 'reader', isPodReady);
    await client.update(at(refs.configMaps, 'words'), configMap('second'));
    await untilObject<PodObject>(client, refs.pods, 'reader', ({ status }) => status?.phase === 'Succeeded');
    const log = await Array.fromAsync(test.node.readLog({ uid: running.metadata.uid ?? '', container: 'main' }));
    assert.equal(Buffer.concat(log).toString(), 'first\nsecond');

    await client.create(within(refs.pods), podOf('late', { containers: [{ name: 'main', image: 'acme/sleep:1' }] }));
    await untilObject<PodObject>(client, refs.pods, 'late', pod =>
      ['ErrImagePull', 'ImagePullBackOff'].some(reason => waitsFor(reason)(pod)),
    );
    images = { 'acme/*': { command: ['./sleep'], args: ['600'] } };
    test.node.imagesChanged();
    await untilObject<PodObject>(client, refs.pods, 'late', isPodReady);
  });

  test('that no node suits wait and say why, as events do', async () => {
    await using cluster = await startTestCluster();
    const { client } = cluster;
    const nodeSelector = { 'kubernetes.io/os': 'plan9' };
    await client.create(within(refs.pods), podOf('picky', { nodeSelector, containers: [sleeping] }));
    const reasonOf = ({ status }: PodObject) => status?.conditions?.find(({ type }) => type === 'PodScheduled');
    const picky = await untilObject<PodObject>(
      client,
      refs.pods,
      'picky',
      // A pod that existed before the node reports that there is none.
      pod => reasonOf(pod)?.message?.startsWith('0/1') ?? false,
    );
    assert.equal(
      reasonOf(picky)?.message,
      "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
    );
    await client.patch(
      { ...refs.nodes, name: 'laptop' },
      { type: 'merge', body: { metadata: { labels: { os: 'x' } } } },
    );
    const fits = podOf('fits', {
      nodeSelector: { os: 'x', 'kubernetes.io/hostname': 'laptop' },
      containers: [sleeping],
    });
    await client.create(within(refs.pods), fits);
    await untilObject<PodObject>(client, refs.pods, 'fits', isPodReady);
    const readinessProbe = { exec: { command: ['false'] }, periodSeconds: 1 };
    await client.create(within(refs.pods), podOf('sick', { containers: [{ ...sleeping, readinessProbe }] }));
    const events = async (): Promise<readonly unknown[]> =>
      (await client.list({ group: '', version: 'v1', plural: 'events', namespace: 'default' })).items.map(
        event => `${(event['involvedObject'] as { name: string }).name} ${event['reason'] as string}`,
      );
    await eventually(async () => {
      const told = await events();
      const expected = ['picky FailedScheduling', 'fits Scheduled', 'fits Started', 'sick Unhealthy'];
      return expected.every(line => told.includes(line));
    });
  });

  test('run again after a restart, deleted ones leave nothing', async () => {
    await using plane = await startTestPlane();
    const { client } = plane;
    await using folderOwner = await startTestNode();
    const folder = join(folderOwner.folder, 'second');
    const begin = async () => {
      const stack = new AsyncDisposableStack();
      const { node } = stack.use(await startTestNode({ folder }));
      stack.use(startWorkloads({ client, node, clusterName: 'onboarding', stopGraceSeconds: 0 }));
      return { node, [Symbol.asyncDispose]: () => stack.disposeAsync() };
    };
    const gone = await (async () => {
      await using _ = await begin();
      await client.create(within(refs.pods), podOf('stays', { containers: [sleeping] }));
      await client.create(within(refs.pods), podOf('goes', { containers: [sleeping] }));
      await client.create(within(refs.pods), podOf('leaves', { containers: [sleeping] }));
      await untilObject<PodObject>(client, refs.pods, 'stays', isPodReady);
      await untilObject<PodObject>(client, refs.pods, 'leaves', isPodReady);
      return (await untilObject<PodObject>(client, refs.pods, 'goes', isPodReady)).metadata.uid ?? '';
    })();
    const asleep = await client.get<PodObject>(at(refs.pods, 'stays'));
    assert.equal(asleep.status?.phase, 'Running', 'that the node stops is not the end of a pod');
    await client.delete(at(refs.pods, 'goes'), { gracePeriodSeconds: 0 });
    await client.delete(at(refs.pods, 'leaves'));
    assert.ok(existsSync(join(folder, 'pods', gone)));
    await using again = await begin();
    const isRestarted = (pod: PodObject): boolean => pod.status?.containerStatuses?.[0]?.restartCount === 1;
    await untilObject<PodObject>(client, refs.pods, 'stays', pod => isRestarted(pod) && isPodReady(pod));
    await eventually(() => !existsSync(join(folder, 'pods', gone)));
    await untilGone(client, refs.pods, 'leaves');
    await eventually(() => again.node.list().length === 1);
  });

  test('of two clusters share a node and do not disturb each other', async () => {
    await using plane = await startTestPlane({ clusters: ['east', 'west'] });
    await using test = await startTestNode();
    const { node } = test;
    const [east, west] = [plane.connect('east'), plane.connect('west')];
    await using eastern = startWorkloads({ client: east, node, clusterName: 'east', stopGraceSeconds: 0 });
    await using _ = startWorkloads({ client: west, node, clusterName: 'west', stopGraceSeconds: 0 });
    for (const client of [east, west]) {
      await client.create(within(refs.deployments), deploymentOf('web', [sleeping], { replicas: 1 }));
    }
    await untilRolledOut(east, 'web');
    await untilRolledOut(west, 'web');
    assert.deepEqual([node.list('east').length, node.list('west').length], [1, 1]);
    const [before] = await podsOf(west, 'web');
    await eastern.purge();
    assert.deepEqual(
      [node.list('east').length, node.listLeftovers('east').length, node.list('west').length],
      [0, 0, 1],
    );
    const [after] = await podsOf(west, 'web');
    assert.equal(after?.metadata.resourceVersion, before?.metadata.resourceVersion);
    assert.ok(after !== undefined && isPodReady(after));
  });
});
