import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceRef } from '@chandlery/client';
import { createKernelClient, Kernel, openStore, soleLeader } from '@chandlery/kernel';
import { randomIds, systemClock } from '@chandlery/platform';
import { eventually, tempFolder } from '@chandlery/testing';
import { createInformer } from './create-informer.ts';
import { TestListener } from './test-listener.ts';

const ref: ResourceRef = { group: '', version: 'v1', plural: 'configmaps' };

for (const hasInitialEvents of [true, false]) {
  test(`an informer follows a logical cluster in process (initial events: ${hasInitialEvents})`, async () => {
    await using stack = new AsyncDisposableStack();
    const folder = stack.use(await tempFolder());
    const store = stack.use(await openStore({ type: 'sqlite', folder: folder.path }));
    const cipher = { encrypt: (text: Uint8Array) => text, decrypt: (text: Uint8Array) => text };
    const kernel = stack.use(
      new Kernel({ store, cipher, leadership: soleLeader, clock: systemClock, ids: randomIds, onFailure: () => {} }),
    );
    await kernel.start();
    const client = stack.use(createKernelClient(kernel, { cluster: 'onboarding' }));
    const labels = { informed: 'yes' };
    const place = { ...ref, namespace: 'default' };
    const create = (name: string) =>
      client.create(place, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels } });
    for (const name of ['a', 'b', 'c']) await create(name);

    const informer = stack.use(
      createInformer({ client, ref, labelSelector: 'informed=yes', pageSize: 2, hasInitialEvents }),
    );
    const listener = new TestListener();
    informer.listen(listener);
    informer.start();
    await informer.synced;
    assert.deepEqual(listener.received, ['added a', 'added b', 'added c']);

    await create('d');
    await client.patch({ ...place, name: 'a' }, { type: 'merge', body: { data: { v: '1' } } });
    await client.patch({ ...place, name: 'b' }, { type: 'merge', body: { metadata: { labels: { informed: 'no' } } } });
    await client.delete({ ...place, name: 'c' });
    await eventually(() => informer.size === 2, { what: 'the informer to catch up' });
    assert.deepEqual(listener.received.slice(3), ['added d', 'updated a', 'deleted b', 'deleted c']);
  });
}
