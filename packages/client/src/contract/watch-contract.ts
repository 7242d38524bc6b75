import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import type { WatchEvent } from '../client.ts';
import type { ContractExtras, Widget, World } from './test-world.ts';
import { bound } from './write-contract.ts';

const receivedFrom = (events: readonly WatchEvent<Widget>[]): string[] =>
  events.map(({ type, object }) => `${type} ${object.spec?.note ?? ''}`);

const versionsOf = (events: readonly WatchEvent<Widget>[]): (string | undefined)[] =>
  events.map(({ object }) => object.metadata.resourceVersion);

const maxAttempts = 5;

/**
 * A test with a watch that names no revision. A server whose cache is behind its storage answers that with a timeout
 * ("Too large resource version") and wants to be asked again; what the test writes helps the cache to catch up.
 */
function fromNow(name: string, attempt: () => Promise<void>): void {
  test(name, async () => {
    for (let count = 1; ; count++) {
      try {
        return await attempt();
      } catch (error) {
        if (count === maxAttempts || !isError(error, 'Timeout')) throw error;
      }
    }
  });
}

/** Watches. */
export function describeWatching(world: () => World): void {
  const note = (widget: Widget, text: string) => {
    const { client, at } = bound(world());
    return client.patch<Widget>(at(widget), { type: 'merge', body: { spec: { note: text } } });
  };

  describe('watching', () => {
    fromNow('delivers the present state first, then changes, in order', async () => {
      const { metadata, labelSelector } = world().mark();
      const { client, at } = bound(world());
      const made = await world().make({ metadata, spec: { note: 'there' } });
      const events: WatchEvent<Widget>[] = [];
      for await (const event of client.watch<Widget>(world().widgets, { labelSelector, hasBookmarks: false })) {
        events.push(event);
        if (events.length === 4) break;
        if (events.length > 1) continue;
        await note(made, 'changed');
        await note(made, 'again');
        await client.delete(at(made));
      }
      assert.deepEqual(receivedFrom(events), ['ADDED there', 'MODIFIED changed', 'MODIFIED again', 'DELETED again']);
      assert.deepEqual(events[0]?.object, made);
    });

    test('from a revision delivers just the later changes, each once', async () => {
      const { metadata, labelSelector } = world().mark();
      const { client, at } = bound(world());
      const made = await world().make({ metadata, spec: { note: 'before' } });
      const resourceVersion = await world().revision();
      const watching = world().events(4, { labelSelector, resourceVersion });
      await note(made, 'one');
      await note(made, 'two');
      const other = await world().make({ metadata, spec: { note: 'other' } });
      await client.delete(at(made));
      const events = await watching;
      assert.deepEqual(receivedFrom(events), ['MODIFIED one', 'MODIFIED two', 'ADDED other', 'DELETED two']);
      const { object } = events[2] ?? assert.fail();
      assert.deepEqual(object, other);
      assert.notEqual(events[3]?.object.metadata.resourceVersion, events[1]?.object.metadata.resourceVersion);
    });

    test('can be left and taken up anywhere without a gap or anything twice', async () => {
      const { metadata, labelSelector } = world().mark();
      const start = await world().revision();
      const widgets = await Promise.all(['a', 'b', 'c'].map(text => world().make({ metadata, spec: { note: text } })));
      const count = 30;
      const whole = world().events(count, { labelSelector, resourceVersion: start });
      const inPieces = (async () => {
        const events: WatchEvent<Widget>[] = [];
        for (let size = 1; events.length < count; size++) {
          const resourceVersion = events.at(-1)?.object.metadata.resourceVersion ?? start;
          const piece = await world().events(Math.min(size, count - events.length), { labelSelector, resourceVersion });
          assert.notEqual(piece.length, 0, `the watch from ${resourceVersion} stays silent`);
          events.push(...piece);
        }
        return events;
      })();
      for (let turn = 0; turn < 9; turn++)
        await Promise.all(widgets.map(widget => note(widget, `${widget.metadata.name} ${turn}`)));
      const [expected, pieces] = await Promise.all([whole, inPieces]);
      assert.deepEqual(versionsOf(pieces), versionsOf(expected));
      assert.equal(new Set(versionsOf(expected)).size, count);
      for (const {
        metadata: { name },
      } of widgets) {
        const own = expected.filter(({ object }) => object.metadata.name === name).slice(1);
        assert.deepEqual(
          own.map(({ object }) => object.spec?.note),
          Array.from({ length: 9 }, (_, turn) => `${name} ${turn}`),
        );
      }
    });

    test('by a selector adds what begins to match and deletes what stops', async () => {
      const { metadata, labelSelector } = world().mark();
      const { client, at } = bound(world());
      const made = await world().make({ spec: { note: 'x' } });
      const resourceVersion = await world().revision();
      const watching = world().events(4, { labelSelector, resourceVersion });
      const label = (labels: object | null) =>
        client.patch(at(made), { type: 'merge', body: { metadata: { labels: labels as Record<string, string> } } });
      await label(metadata.labels);
      await note(made, 'y');
      await label({ test: 'else' });
      await label(metadata.labels);
      assert.deepEqual(receivedFrom(await watching), ['ADDED x', 'MODIFIED y', 'DELETED y', 'ADDED y']);
    });

    test('can be of one object by its name', async () => {
      const { client, at } = bound(world());
      const [made, other] = await Promise.all([world().make(), world().make()]);
      const resourceVersion = await world().revision();
      const fieldSelector = `metadata.name=${made.metadata.name}`;
      const watching = world().events(2, { fieldSelector, resourceVersion });
      await note(other, 'unseen');
      await note(made, 'seen');
      await client.delete(at(made));
      assert.deepEqual(receivedFrom(await watching), ['MODIFIED seen', 'DELETED seen']);
    });

    test('gives each reader events of its own', async () => {
      const { metadata, labelSelector } = world().mark();
      const resourceVersion = await world().revision();
      const readers = [1, 2].map(() => world().events(1, { labelSelector, resourceVersion }));
      await world().make({ metadata, spec: { note: 'x' } });
      const [[first], [second]] = (await Promise.all(readers)) as [[WatchEvent<Widget>], [WatchEvent<Widget>]];
      first.object.spec = { note: 'changed' };
      first.object.metadata.labels = {};
      assert.deepEqual([second.object.spec?.note, second.object.metadata.labels], ['x', metadata.labels]);
    });

    test('shows finalizers at work', async () => {
      const { metadata, labelSelector } = world().mark();
      const { client, at } = bound(world());
      const resourceVersion = await world().revision();
      const watching = world().events(3, { labelSelector, resourceVersion });
      const made = await world().make({ metadata: { ...metadata, finalizers: ['example.org/hold'] } });
      await client.delete(at(made));
      await client.patch(at(made), { type: 'merge', body: { metadata: { finalizers: null } } });
      const events = await watching;
      assert.deepEqual(
        events.map(({ type, object }) => [type, object.metadata.deletionTimestamp !== undefined]),
        [
          ['ADDED', false],
          ['MODIFIED', true],
          ['DELETED', true],
        ],
      );
    });
  });

  describe('the end of a watch', () => {
    fromNow('comes without an error when the signal says so', async () => {
      const { client, widgets } = world();
      const { metadata, labelSelector } = world().mark();
      await world().make({ metadata });
      const abort = new AbortController();
      const seen: string[] = [];
      const options = { labelSelector, hasBookmarks: false, signal: abort.signal };
      for await (const { type } of client.watch(widgets, options)) {
        seen.push(type);
        abort.abort();
      }
      assert.deepEqual(seen, ['ADDED']);
      assert.deepEqual(await Array.fromAsync(client.watch(widgets, { signal: abort.signal })), []);
    });

    test('ends after the requested time, and bookmarks show where to resume', async () => {
      const { client, widgets } = world();
      const { metadata, labelSelector } = world().mark();
      const made = await world().make({ metadata });
      const start = await world().revision();
      const options = { labelSelector, resourceVersion: start, timeoutSeconds: 1 };
      const events = await Array.fromAsync(client.watch<Widget>(widgets, options));
      for (const { type, object } of events) {
        assert.deepEqual([type, object.kind, object.spec], ['BOOKMARK', 'Widget', undefined]);
        assert.ok(object.metadata.resourceVersion);
      }
      const resourceVersion = events.at(-1)?.object.metadata.resourceVersion ?? start;
      const watching = world().events(1, { labelSelector, resourceVersion });
      await note(made, 'later');
      assert.deepEqual(receivedFrom(await watching), ['MODIFIED later']);
    });

    test('ends when no event comes for too long', async () => {
      const { client, widgets } = world();
      const { labelSelector } = world().mark();
      const options = { labelSelector, resourceVersion: await world().revision(), idleTimeoutMs: 50 };
      await assert.rejects(Array.fromAsync(client.watch(widgets, options)), { code: 'WatchStalled' });
    });

    test('comes at once for what cannot be watched', async () => {
      const { client, widgets } = world();
      const gadgets = { ...widgets, plural: 'gadgets' };
      await assert.rejects(Array.fromAsync(client.watch(gadgets)), { code: 'NotFound' });
      await assert.rejects(Array.fromAsync(client.watch(widgets, { labelSelector: 'a in (' })), { code: 'BadRequest' });
    });
  });
}

/** What not every Kubernetes has, or lets a test do. */
export function describeWatchExtras(world: () => World, { hasInitialEvents, canForgetHistory }: ContractExtras): void {
  if (hasInitialEvents)
    test('a watch can begin with the present state, and marks its end', () => tryInitialEvents(world()));
  if (canForgetHistory) test('history that is forgotten has expired', () => tryForgetting(world()));
}

async function tryInitialEvents(world: World): Promise<void> {
  const { metadata, labelSelector } = world.mark();
  await world.make({ metadata });
  const types: string[] = [];
  for await (const { type, object } of world.client.watch(world.widgets, { labelSelector, hasInitialEvents: true })) {
    types.push(type);
    if (object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true') break;
  }
  assert.deepEqual(types, ['ADDED', 'BOOKMARK']);
}

async function tryForgetting(world: World): Promise<void> {
  const { client, widgets, at } = bound(world);
  const { metadata, labelSelector } = world.mark();
  const made = [await world.make({ metadata }), await world.make({ metadata })];
  const first = await client.list(widgets, { labelSelector, limit: 1 });
  const { resourceVersion = '', continue: token = '' } = first.metadata;
  for (const widget of made) await client.delete(at(widget));
  await world.opened.forgetHistory?.();
  const expired = { code: 'Expired' };
  await assert.rejects(Array.fromAsync(client.watch(widgets, { resourceVersion })), expired);
  await assert.rejects(client.list(widgets, { labelSelector, limit: 1, continue: token }), expired);
  await assert.rejects(client.list(widgets, { resourceVersion, resourceVersionMatch: 'Exact' }), expired);
}
