import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError, type KubeObject } from '@chandlery/api';
import { createInformer } from '../informer/create-informer.ts';
import { TestListener } from '../informer/test-listener.ts';
import { withoutManagedFields } from '../informer/without-managed-fields.ts';
import { freshName, type World } from './test-world.ts';
import { patiently, Yard } from './test-yard.ts';

const sailsOf = ({ spec }: KubeObject): string[] => [String((spec as { sails?: number } | undefined)?.sails ?? 0)];

/** Informers on a connection that holds. */
export function describeInformer(world: () => World): void {
  describe('an informer', () => {
    for (const hasInitialEvents of [true, false]) {
      it(`begins with what is there and follows what happens (initial events: ${hasInitialEvents})`, async () => {
        const yard = new Yard(world());
        const [a, b] = [await yard.make(), await yard.make(), await yard.make()];
        await using informer = yard.informer({ hasInitialEvents, pageSize: 2 });
        const listener = new TestListener();
        informer.listen(listener);
        informer.start();
        await informer.synced;
        assert.equal(informer.size, 3);
        assert.deepEqual(informer.get(world().namespace, a), await yard.read(a));

        await yard.patch(a, { spec: { sails: 2 } });
        await yard.remove(b);
        const d = await yard.make();
        await patiently(() => informer.get(world().namespace, d));
        assert.deepEqual(listener.received.slice(3), [`updated ${a}`, `deleted ${b}`, `added ${d}`]);
        assert.deepEqual(informer.get(world().namespace, a), await yard.read(a));
        assert.equal(informer.list(world().namespace).length, 3);
        assert.equal(informer.list('elsewhere').length, 0);
      });
    }

    it('gives objects of built-in kinds their type, however they were read', async () => {
      const { client, maps } = world();
      const name = freshName();
      await client.create(maps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
      for (const hasInitialEvents of [true, false]) {
        const fieldSelector = `metadata.name=${name}`;
        await using informer = createInformer({ client, ref: maps, fieldSelector, hasInitialEvents });
        informer.start();
        await informer.synced;
        const [map] = informer.list();
        assert.deepEqual([informer.size, map?.apiVersion, map?.kind], [1, 'v1', 'ConfigMap']);
      }
    });

    it('finds objects by index, also after the value changed', async () => {
      const yard = new Yard(world());
      const name = await yard.make();
      await using informer = yard.informer({ indexes: { sails: sailsOf } });
      informer.start();
      await informer.synced;
      assert.equal(informer.byIndex('sails', '1').length, 1);
      await yard.patch(name, { spec: { sails: 3 } });
      await patiently(() => informer.byIndex('sails', '3').length === 1);
      assert.deepEqual(informer.byIndex('sails', '1'), []);
      await yard.remove(name);
      await patiently(() => informer.size === 0);
      assert.deepEqual(informer.byIndex('sails', '3'), []);
    });

    it('shows what its selectors take, as objects come and cease to match', async () => {
      const yard = new Yard(world());
      const [in_, out] = [await yard.make({ labels: { fleet: 'a' } }), await yard.make({ labels: { fleet: 'b' } })];
      await using informer = yard.informer({ labelSelector: `${yard.labelSelector},fleet=a` });
      const listener = new TestListener();
      informer.listen(listener);
      informer.start();
      await informer.synced;
      assert.deepEqual(listener.received, [`added ${in_}`]);
      await yard.patch(out, { metadata: { labels: { fleet: 'a' } } });
      await yard.patch(in_, { metadata: { labels: { fleet: 'b' } } });
      await patiently(() => listener.received.length === 3);
      assert.deepEqual(listener.received.slice(1), [`added ${out}`, `deleted ${in_}`]);
    });

    it('follows one object by its name', async () => {
      const yard = new Yard(world());
      const [one, other] = [await yard.make(), await yard.make()];
      await using informer = yard.informer({ fieldSelector: `metadata.name=${one}` });
      informer.start();
      await informer.synced;
      await yard.patch(other, { spec: { sails: 5 } });
      await yard.patch(one, { spec: { sails: 4 } });
      await patiently(() => informer.get(world().namespace, one)?.spec?.sails === 4);
      assert.equal(informer.size, 1);
    });

    it('keeps the result of the transform, deeply frozen', async () => {
      const yard = new Yard(world());
      const name = await yard.make();
      await using informer = yard.informer({ transform: withoutManagedFields });
      informer.start();
      await informer.synced;
      const boat = informer.get(world().namespace, name) ?? assert.fail();
      assert.equal(boat.metadata.managedFields, undefined);
      assert.throws(() => Object.assign(boat.spec ?? {}, { sails: 9 }), TypeError);
    });

    it('says nothing once it is stopped, and can still be read', async () => {
      const yard = new Yard(world());
      const name = await yard.make();
      const informer = yard.informer();
      const listener = new TestListener();
      informer.listen(listener);
      informer.start();
      await informer.synced;
      await informer.stop();
      await yard.patch(name, { spec: { sails: 2 } });
      await using witness = yard.informer();
      witness.start();
      await witness.synced;
      assert.deepEqual(listener.received, [`added ${name}`]);
      assert.equal(informer.get(world().namespace, name)?.spec?.sails, 1);
    });

    it('that is stopped before it has read everything says so to who waits', async () => {
      const informer = new Yard(world()).informer();
      informer.start();
      await informer.stop();
      await assert.rejects(informer.synced, error => isError(error, 'Stopped'));
    });
  });
}
