import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError, type KubeObject } from '@chandlery/api';
import { apply } from '../helpers/apply-objects.ts';
import { createEventRecorder } from '../helpers/event-recorder.ts';
import { installKinds } from '../helpers/install-kinds.ts';
import { boatCrd, freshGroup, freshName, removeKind, type World } from './test-world.ts';
import { Yard } from './test-yard.ts';

const moored = { type: 'Normal', reason: 'Moored', message: 'Moored at pier 3.' } as const;

/** Server-side apply, events, and the installation of kinds. */
export function describeHelpers(world: () => World): void {
  describe('applying objects', () => {
    /** A fresh ConfigMap, and how a manager applies it. */
    function newMap() {
      const { client, maps, namespace } = world();
      const at = { ...maps, name: freshName() };
      const applyAs = async (manager: string, data: object, options?: { force: boolean }): Promise<KubeObject> => {
        const metadata = { name: at.name, namespace };
        const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
        const [applied] = await apply(client, manager, [{ plural: 'configmaps', object }], options);
        return applied ?? assert.fail();
      };
      return { client, at, applyAs };
    }

    it('creates, changes, and removes only what the same manager applied before', async () => {
      const { client, at, applyAs } = newMap();
      await applyAs('harbour', { a: '1', b: '1' });
      await client.patch(at, { type: 'merge', body: { data: { c: '1' } } }, { fieldManager: 'crew' });
      const applied = await applyAs('harbour', { a: '2' });
      assert.deepEqual(applied['data'], { a: '2', c: '1' });
      const managers = (applied.metadata.managedFields ?? []).map(
        ({ manager, operation }) => `${manager} ${operation}`,
      );
      assert.deepEqual(managers.sort(), ['crew Update', 'harbour Apply']);
    });

    it('changes nothing when everything is as it should be', async () => {
      const { applyAs } = newMap();
      const first = await applyAs('harbour', { a: '1' });
      const second = await applyAs('harbour', { a: '1' });
      assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion);
    });

    it('takes fields of others by force, or gets the conflict', async () => {
      const { applyAs } = newMap();
      await applyAs('crew', { a: '1' });
      const refused = applyAs('harbour', { a: '2' }, { force: false });
      await assert.rejects(refused, error => isError(error, 'Conflict'));
      assert.deepEqual((await applyAs('harbour', { a: '2' }))['data'], { a: '2' });
    });
  });

  describe('an event recorder', () => {
    it('records what happened to an object, and counts repetitions', async () => {
      const yard = new Yard(world());
      const { client } = yard;
      const boat = await yard.read(await yard.make());
      const errors: unknown[] = [];
      const onError = (error: unknown): void => void errors.push(error);
      await using recorder = createEventRecorder({ client, component: 'harbour', onError });
      recorder.record(boat, moored);
      recorder.record(boat, moored);
      recorder.record(boat, { ...moored, message: 'Moored at pier 4.' });
      await recorder.flush();
      assert.deepEqual(errors, []);
      const fieldSelector = `involvedObject.name=${boat.metadata.name}`;
      const { items } = await client.list(world().events, { fieldSelector });
      const received = items.map(event => `${String(event['message'])} ${String(event['count'])}`).sort();
      assert.deepEqual(received, ['Moored at pier 3. 2', 'Moored at pier 4. 1']);
      const involved = items.map(event => (event['involvedObject'] as { uid?: string }).uid);
      assert.deepEqual(new Set(involved), new Set([boat.metadata.uid]));
    });
  });

  describe('installing kinds', () => {
    it('ends when they are served, and may be done again with newer ones', async () => {
      const { client, namespace } = world();
      const group = freshGroup();
      const options = { fieldManager: 'harbour' };
      const boats = { group, version: 'v1', plural: 'boats', namespace };
      await installKinds(client, [boatCrd(group)], options);
      assert.deepEqual((await client.list(boats)).items, []);
      await installKinds(client, [boatCrd(group, { cargo: { type: 'string' } })], options);
      const crd = await client.get({ ...crds, name: `boats.${group}` });
      assert.match(JSON.stringify(crd['spec']), /"cargo"/);
      await removeKind(client, group);
    });
  });
}

const crds = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
