import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { CoreV1Api, type KubeConfig, makeInformer, type V1ConfigMap, Watch } from '@kubernetes/client-node';
import { callers, startTwoClients, type TwoClients } from './support/two-clients.ts';

let clients: TwoClients;

before(async () => {
  clients = await startTwoClients();
});
after(() => clients?.[Symbol.asyncDispose]());

const namespace = 'default';
const path = `/api/v1/namespaces/${namespace}/configmaps`;
const body = (name: string, data: Record<string, string> = {}): V1ConfigMap => ({ metadata: { name }, data });

for (const who of callers) {
  const configOf = (): KubeConfig => clients.configs[who];

  test(`${who}: an informer sees what is there and what happens`, async t => {
    const core = configOf().makeApiClient(CoreV1Api);
    await core.createNamespacedConfigMap({ namespace, body: body('early') });
    const seen: string[] = [];
    const informer = makeInformer<V1ConfigMap>(configOf(), path, () => core.listNamespacedConfigMap({ namespace }));
    for (const verb of ['add', 'update', 'delete'] as const)
      informer.on(
        verb,
        object => void seen.push(`${verb} ${object.metadata?.name} ${object.data?.['a'] ?? ''}`.trim()),
      );
    t.after(() => informer.stop());
    const errors: unknown[] = [];
    informer.on('error', error => void errors.push(error));
    await informer.start();
    await core.createNamespacedConfigMap({ namespace, body: body('late', { a: '1' }) });
    await core.replaceNamespacedConfigMap({ namespace, name: 'late', body: body('late', { a: '2' }) });
    await eventually(() => seen.includes('update late 2'));
    assert.equal(informer.get('late', namespace)?.data?.['a'], '2');
    await core.deleteNamespacedConfigMap({ namespace, name: 'late' });
    await eventually(() => seen.includes('delete late 2'));
    assert.deepEqual(seen, ['add early', 'add late 1', 'update late 2', 'delete late 2']);
    assert.deepEqual(
      informer.list().map(object => object.metadata?.name),
      ['early'],
    );
    assert.deepEqual(errors, []);
  });

  test(`${who}: a watch continues from a resource version, shows bookmarks, and ends when asked to`, async () => {
    const core = configOf().makeApiClient(CoreV1Api);
    const { metadata } = await core.listNamespacedConfigMap({ namespace });
    await core.createNamespacedConfigMap({ namespace, body: body('between') });
    await core.deleteNamespacedConfigMap({ namespace, name: 'between' });
    const phases: string[] = [];
    const query = { resourceVersion: metadata?.resourceVersion, allowWatchBookmarks: true, timeoutSeconds: 1 };
    const ended = new EventTarget();
    await new Watch(configOf()).watch(
      path,
      query,
      phase => void phases.push(phase),
      () => void ended.dispatchEvent(new Event('end')),
    );
    await once(ended, 'end');
    assert.deepEqual(phases, ['ADDED', 'DELETED', 'BOOKMARK']);
  });

  test(`${who}: a watch with a selector sees objects come and go with their labels`, async t => {
    const core = configOf().makeApiClient(CoreV1Api);
    const events: string[] = [];
    const query = {
      labelSelector: 'tier=gold',
      resourceVersion: (await core.listNamespacedConfigMap({ namespace })).metadata?.resourceVersion,
    };
    const controller = await new Watch(configOf()).watch(
      path,
      query,
      (phase, object: V1ConfigMap) => void events.push(`${phase} ${object.metadata?.name}`),
      () => undefined,
    );
    t.after(() => controller.abort());
    const labelled = (tier: string): V1ConfigMap => ({ metadata: { name: 'member', labels: { tier } } });
    await core.createNamespacedConfigMap({ namespace, body: labelled('silver') });
    for (const tier of ['gold', 'silver'])
      await core.replaceNamespacedConfigMap({ namespace, name: 'member', body: labelled(tier) });
    await eventually(() => events.length >= 2);
    assert.deepEqual(events, ['ADDED member', 'DELETED member']);
  });
}

test('an informer gets over a restart of the server, and misses nothing', async t => {
  const config = clients.configs.admin;
  const core = config.makeApiClient(CoreV1Api);
  const informer = makeInformer<V1ConfigMap>(config, path, () => core.listNamespacedConfigMap({ namespace }));
  let isOver = false;
  const restart = (): void => {
    if (!isOver) setTimeout(() => void informer.start().catch(restart), 50);
  };
  t.after(async () => {
    isOver = true;
    await informer.stop();
  });
  informer.on('error', restart);
  await informer.start();
  await clients.landscape.restart();
  await eventually(
    async () => (await core.createNamespacedConfigMap({ namespace, body: body('after-restart') })).metadata,
  );
  await eventually(() => informer.get('after-restart', namespace), { timeoutMs: 30_000 });
});
