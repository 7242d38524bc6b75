import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import fc from 'fast-check';
import { crds, startTestKernel, type TestKernel, testCrd } from '../test-kernel.ts';
import { type Watch, type WatchItem, type WatchRequest, watchObjects } from './watch.ts';

/** The events of a watcher, as `TYPE name`. */
class Recorder {
  readonly items: WatchItem[] = [];
  readonly failures: unknown[] = [];
  deliver(items: readonly WatchItem[]): void {
    this.items.push(...items);
  }
  fail(error: unknown): void {
    this.failures.push(error);
  }
  get texts(): string[] {
    return this.items.map(item =>
      item.type === 'BOOKMARK' ? `BOOKMARK ${item.isInitialEnd}` : `${item.type} ${item.served.object.metadata.name}`,
    );
  }
}

describe('watching objects', () => {
  let plane: TestKernel;
  before(async () => {
    plane = await startTestKernel();
  });
  after(() => plane[Symbol.asyncDispose]());

  const watch = async (
    namespace: string,
    request: WatchRequest,
    resource = 'configmaps',
  ): Promise<{ watch: Watch; received: Recorder }> => {
    const received = new Recorder();
    return {
      watch: await watchObjects(plane.deps, await plane.target(resource, { namespace }), request, received),
      received,
    };
  };
  const revision = async (): Promise<string> => String(await plane.store.currentRevision());

  test('begins with the present state, then delivers changes', async () => {
    const namespace = await plane.newNamespace();
    await plane.create('configmaps', { metadata: { name: 'a' } }, { namespace });
    const { watch: running, received } = await watch(namespace, {});
    await plane.create('configmaps', { metadata: { name: 'b' } }, { namespace });
    await plane.change('configmaps', 'a', live => void Object.assign(live, { data: { x: 'y' } }), { namespace });
    const { served } = await plane.delete('configmaps', 'b', {}, { namespace });
    await plane.settled();
    running.stop();
    assert.deepEqual(received.texts, ['ADDED a', 'ADDED b', 'MODIFIED a', 'DELETED b']);
    const last = received.items.at(-1);
    assert.equal(last?.type === 'DELETED' && last.served.object.metadata.resourceVersion, String(served.revision));
  });

  test('marks the end of the present state for those who ask', async () => {
    const namespace = await plane.newNamespace();
    await plane.create('configmaps', { metadata: { name: 'a' } }, { namespace });
    const request = { sendInitialEvents: true, allowWatchBookmarks: true, resourceVersionMatch: 'NotOlderThan' };
    const { watch: running, received } = await watch(namespace, request);
    await plane.create('configmaps', { metadata: { name: 'b' } }, { namespace });
    await plane.settled();
    assert.deepEqual(received.texts, ['ADDED a', 'BOOKMARK true', 'ADDED b']);
    assert.equal(running.revision(), plane.kernel.feed.position);
    running.stop();
  });

  test('delivers objects that start to match as added and those that stop as deleted, with their last matching state', async () => {
    const namespace = await plane.newNamespace();
    const { watch: running, received } = await watch(namespace, { labelSelector: 'on=yes' });
    const label = (on: string) =>
      plane.change('configmaps', 'a', live => void Object.assign(live.metadata, { labels: { on } }), { namespace });
    await plane.create('configmaps', { metadata: { name: 'a' } }, { namespace });
    await label('yes');
    await plane.change('configmaps', 'a', live => void Object.assign(live, { data: { x: 'y' } }), { namespace });
    const { revision: left } = await label('no');
    await label('maybe');
    await plane.settled();
    await eventually(() => running.revision() === plane.kernel.feed.position);
    running.stop();
    assert.deepEqual(received.texts, ['ADDED a', 'MODIFIED a', 'DELETED a']);
    const last = received.items.at(-1);
    assert.ok(last?.type === 'DELETED');
    assert.deepEqual(last.served.object.metadata.labels, { on: 'yes' });
    assert.equal(last.served.object.metadata.resourceVersion, String(left));
  });

  test('of one object by name delivers no events of others', async () => {
    const namespace = await plane.newNamespace();
    const here = await watch(namespace, { fieldSelector: 'metadata.name=a' });
    const everywhere = await watch('', { fieldSelector: `metadata.name=a,metadata.namespace=${namespace}` });
    const anywhere = await watch('', { fieldSelector: 'metadata.name=only-here', resourceVersion: await revision() });
    for (const name of ['a', 'b', 'only-here']) await plane.create('configmaps', { metadata: { name } }, { namespace });
    await plane.settled();
    await eventually(() => anywhere.received.items.length === 1);
    for (const { watch: running } of [here, everywhere, anywhere]) running.stop();
    assert.deepEqual(
      [here, everywhere, anywhere].map(({ received }) => received.texts),
      [['ADDED a'], ['ADDED a'], ['ADDED only-here']],
    );
  });

  test('resumed from any revision misses nothing and repeats nothing while others write', async () => {
    const namespace = await plane.newNamespace();
    const start = Number(await revision());
    let isWriting = true;
    const writers = ['a', 'b', 'c'].map(async name => {
      await plane.create('configmaps', { metadata: { name } }, { namespace });
      for (let index = 0; isWriting; index++)
        await plane.change('configmaps', name, live => void Object.assign(live, { data: { index: String(index) } }), {
          namespace,
        });
    });
    const received: { from: number; watch: Watch; received: Recorder }[] = [];
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 1, noNaN: true }), async share => {
        await new Promise(setImmediate);
        const from = start + Math.floor(share * (Number(await revision()) - start));
        received.push({ from, ...(await watch(namespace, { resourceVersion: String(from) })) });
      }),
      { numRuns: 20 },
    );
    isWriting = false;
    await Promise.all(writers);
    await plane.settled();
    const target = await plane.target('configmaps', { namespace });
    const { changes } = await plane.store.changes({
      after: start,
      limit: 100_000,
      collection: { cluster: target.cluster, resource: '/configmaps' },
    });
    for (const { from, watch: running, received: recorder } of received) {
      running.stop();
      const expected = changes.map(({ revision: at }) => at).filter(at => at > from);
      assert.deepEqual(
        recorder.items.map(item => (item.type === 'BOOKMARK' ? -1 : item.served.revision)),
        expected,
        `from ${from}`,
      );
    }
  });

  test('is rejected from what is forgotten', async () => {
    const namespace = await plane.newNamespace();
    const before = await revision();
    await plane.create('configmaps', { metadata: { name: 'a' } }, { namespace });
    await plane.settled();
    await plane.store.compact(Number(await revision()));
    await assert.rejects(watch(namespace, { resourceVersion: before }), error => isError(error, 'Expired'));
  });

  const refusals: readonly { why: string; request: WatchRequest }[] = [
    { why: 'a match without initial events', request: { resourceVersion: '1', resourceVersionMatch: 'NotOlderThan' } },
    { why: 'initial events without a match', request: { sendInitialEvents: true, allowWatchBookmarks: true } },
    {
      why: 'initial events without bookmarks',
      request: { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' },
    },
    { why: 'an unknown field', request: { fieldSelector: 'data.a=b' } },
  ];
  for (const { why, request } of refusals) {
    test(`is rejected for ${why}`, async () => {
      await assert.rejects(watch('default', request), error => isError(error, 'BadRequest', 'Invalid'));
    });
  }

  test('of a custom kind ends when its definition changes, not when that is only touched', async () => {
    await plane.create(crds, testCrd('watcheds'));
    const { received } = await watch('default', {}, 'example.org/v1/watcheds');
    await plane.change(crds, 'watcheds.example.org', crd => void Object.assign(crd.metadata, { labels: { a: 'b' } }));
    await plane.create('example.org/v1/watcheds', { metadata: { name: 'w' }, spec: {} });
    await plane.settled();
    assert.deepEqual([received.texts, received.failures.length], [['ADDED w'], 0]);
    await plane.change(crds, 'watcheds.example.org', crd => {
      const { versions } = crd['spec'] as { versions: { schema: object }[] };
      for (const version of versions) version.schema = { openAPIV3Schema: { type: 'object' } };
    });
    assert.equal(received.failures.length, 1);
    assert.ok(isError(received.failures[0], 'Expired'));
  });

  test('of events in their newer group shows them in its shape', async () => {
    const namespace = await plane.newNamespace();
    const { watch: running, received } = await watch(
      namespace,
      { fieldSelector: 'regarding.name=p' },
      'events.k8s.io/v1/events',
    );
    const event = (name: string, about: string) => ({
      metadata: { name },
      involvedObject: { kind: 'Pod', namespace, name: about },
      message: 'm',
      reason: 'R',
      type: 'Normal',
    });
    await plane.create('events', event('e1', 'p'), { namespace });
    await plane.create('events', event('e2', 'q'), { namespace });
    await plane.settled();
    await eventually(() => received.items.length > 0);
    running.stop();
    const [first] = received.items;
    assert.deepEqual(received.texts, ['ADDED e1']);
    assert.ok(first?.type === 'ADDED');
    const shown = JSON.parse(first.served.bytes.toString()) as { apiVersion: string; note: string };
    assert.deepEqual([shown.apiVersion, shown.note], ['events.k8s.io/v1', 'm']);
  });
});
