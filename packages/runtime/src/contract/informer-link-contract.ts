import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { SharedInformers } from '../informer/shared-informers.ts';
import { TestListener } from '../informer/test-listener.ts';
import { Complaints } from './test-complaints.ts';
import { forgotten, TestLink } from './test-link.ts';
import { type Boat, freshName, type World } from './test-world.ts';
import { patiently, Yard } from './test-yard.ts';

/** A version that was long ago on every server. */
const longAgo = '1';

interface Afloat extends AsyncDisposable {
  readonly yard: Yard;
  readonly link: TestLink;
  readonly listener: TestListener;
  /** What the listener found fault with. */
  readonly failures: readonly unknown[];
  /** Whether the informer shows what is stored. */
  readonly isTrue: () => Promise<boolean>;
}

/** An informer at work behind a link. */
async function startAfloat(world: World, names: readonly string[]): Promise<Afloat> {
  const yard = new Yard(world);
  const link = new TestLink(world.client);
  for (const name of names) await yard.make({ name });
  const { failures, onError } = new Complaints();
  const informer = yard.informer({ client: link.client, onError });
  const listener = new TestListener();
  informer.listen(listener);
  informer.start();
  await informer.synced;
  const versionsOf = (boats: readonly KubeObject[]): string[] =>
    boats.map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`).sort();
  return {
    yard,
    link,
    listener,
    failures,
    isTrue: async () => {
      const stored = await world.client.list<Boat>(world.boats, { labelSelector: yard.labelSelector });
      return versionsOf(stored.items).join() === versionsOf(informer.list()).join();
    },
    [Symbol.asyncDispose]: () => informer.stop(),
  };
}

/** Informers whose connection breaks, and informers that are shared. */
export function describeInformerLink(world: () => World): void {
  describe('an informer whose watch is cut', () => {
    const names = () => [freshName(), freshName(), freshName()] as const;

    it('resumes without a gap and without listing again', async () => {
      const [a, b, c] = names();
      await using afloat = await startAfloat(world(), [a, b]);
      const { yard, link, listener } = afloat;
      const reads = link.reads;
      link.cut();
      await yard.patch(a, { spec: { sails: 2 } });
      await yard.patch(a, { spec: { sails: 3 } });
      await yard.remove(b);
      await yard.make({ name: c });
      link.heal();
      await patiently(afloat.isTrue);
      assert.deepEqual(listener.received.slice(2), [`updated ${a}`, `updated ${a}`, `deleted ${b}`, `added ${c}`]);
      assert.equal(link.reads, reads);
    });

    it('reads everything again when the history it needs is forgotten', async () => {
      const [a, b, c] = names();
      await using afloat = await startAfloat(world(), [a, b]);
      const { yard, link, listener } = afloat;
      const reads = link.reads;
      link.cut();
      await yard.patch(a, { spec: { sails: 2 } });
      await yard.remove(b);
      await yard.make({ name: c });
      let refusals = 0;
      let forgottenVersion: string | undefined;
      link.versionFor = wanted => {
        forgottenVersion ??= wanted;
        if (wanted !== forgottenVersion) return wanted;
        refusals += 1;
        throw forgotten();
      };
      link.heal();
      await patiently(afloat.isTrue);
      assert.deepEqual(listener.received.slice(2).sort(), [`added ${c}`, `deleted ${b}?`, `updated ${a}`].sort());
      assert.ok(link.reads > reads);
      assert.equal(refusals, 1);
    });

    it('is not confused by what a server says to a version of long ago', async () => {
      const [a, b, c] = names();
      await using afloat = await startAfloat(world(), [a, b, c]);
      const { yard, link } = afloat;
      await yard.remove(a);
      await yard.make({ name: a });
      await patiently(afloat.isTrue);
      let asked = 0;
      link.cut();
      await yard.remove(b);
      await yard.remove(c);
      await yard.make({ name: c });
      link.versionFor = wanted => (asked++ === 0 ? longAgo : wanted);
      link.heal();
      await patiently(afloat.isTrue);
      await yard.patch(c, { spec: { sails: 4 } });
      await patiently(afloat.isTrue);
      assert.deepEqual(afloat.failures, []);
    });

    it('reports an object that was replaced by another of the same name', async () => {
      const [a] = names();
      await using afloat = await startAfloat(world(), [a]);
      const { yard, link, listener, failures } = afloat;
      link.cut();
      await yard.remove(a);
      await yard.make({ name: a });
      link.heal();
      await patiently(afloat.isTrue);
      assert.deepEqual([listener.received.slice(1), failures], [[`deleted ${a}`, `added ${a}`], []]);
    });
  });

  describe('shared informers', () => {
    it('are one for all who ask for the same, and another for who asks for something else', async () => {
      const yard = new Yard(world());
      const { client, labelSelector } = yard;
      const { boats: ref } = world();
      const name = await yard.make();
      await using informers = new SharedInformers();
      const first = informers.informer<Boat>({ client, ref, labelSelector });
      const second = informers.informer<Boat>({ client, ref, labelSelector, indexes: { all: () => ['all'] } });
      const other = informers.informer<Boat>({ client, ref, labelSelector: `${labelSelector},fleet=none` });
      await informers.synced();
      assert.equal(second, first);
      assert.deepEqual([first.byIndex('all', 'all').length, other.size], [1, 0]);
      await informers.release(client);
      assert.equal(first.get(world().namespace, name)?.metadata.name, name);
      const again = informers.informer<Boat>({ client, ref, labelSelector });
      await again.synced;
      assert.notEqual(again, first);
    });
  });
}
