import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { pausedAnnotation, reconcileAnnotation } from '../controller/annotations.ts';
import type { StepResult } from '../controller/step.ts';
import { apply } from '../helpers/apply-objects.ts';
import { findCondition, isConditionTrue } from '../helpers/conditions.ts';
import { controllerKeys, setController } from '../helpers/owner-references.ts';
import { createInformer } from '../informer/create-informer.ts';
import { type BoatStep, hoist, isSynced, startHarbour } from './test-harbour.ts';
import type { Boat, World } from './test-world.ts';
import { patiently, Yard } from './test-yard.ts';

const finalizer = 'contract.chandlery.io/harbour';

/** The life of objects and of the controller, and what it owns. */
export function describeControllerLife(world: () => World): void {
  describe('a controller', () => {
    it('adds its finalizer before the first effect and removes it after the deletion steps', async () => {
      const effects: string[] = [];
      let isEmpty = false;
      const moor: BoatStep = object => {
        effects.push(`moor with ${object.metadata.finalizers?.join()}`);
        return 'continue';
      };
      const unload: BoatStep = () => {
        effects.push('unload');
        return isEmpty ? 'continue' : { retryAfterMs: 5 };
      };
      await using harbour = await startHarbour(world(), { steps: [moor], finalizer, onDelete: [unload] });
      const { yard } = harbour;
      const name = await yard.make();
      await yard.until(name, isSynced);
      assert.deepEqual(new Set(effects), new Set([`moor with ${finalizer}`]));
      await yard.remove(name);
      await patiently(() => effects.filter(effect => effect === 'unload').length > 2);
      assert.ok((await yard.read(name)).metadata.deletionTimestamp);
      isEmpty = true;
      await yard.untilGone(name);
      assert.equal(effects.at(-1), 'unload');
    });

    it('skips a paused object, reports that, and continues when it is resumed', async () => {
      await using harbour = await startHarbour(world(), { steps: [hoist] });
      const { yard } = harbour;
      const name = await yard.make({ annotations: { [pausedAnnotation]: 'true' } });
      const paused = await yard.until(name, boat => isConditionTrue(boat, 'Paused'));
      assert.equal(paused.status?.sails, undefined);
      await yard.patch(name, { metadata: { annotations: { [pausedAnnotation]: null } } });
      const resumed = await yard.until(name, isSynced);
      assert.deepEqual([resumed.status?.sails, findCondition(resumed, 'Paused')?.status], [1, 'False']);
    });

    it('handles a request to reconcile now once, and records it', async () => {
      const requested: boolean[] = [];
      const listen: BoatStep = (_object, _needs, { isRequested }) => {
        requested.push(isRequested);
        return 'continue';
      };
      await using harbour = await startHarbour(world(), { steps: [listen] });
      const { yard } = harbour;
      const name = await yard.make();
      await yard.until(name, isSynced);
      await yard.patch(name, { metadata: { annotations: { [reconcileAnnotation]: 'now' } } });
      await yard.until(name, boat => boat.status?.lastHandledReconcileAt === 'now');
      assert.deepEqual(requested, [false, true]);
    });

    it('repairs what it owns, whether it was changed or deleted', async () => {
      const { client, maps, group } = world();
      const yard = new Yard(world());
      await using logs = createInformer({ client, ref: maps, labelSelector: yard.labelSelector });
      const ensureLog = async (boat: Boat): Promise<StepResult> => {
        const { name = '', namespace = '' } = boat.metadata;
        const metadata = { name, namespace, labels: { ...yard.labels } };
        const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { entry: 'all well' } };
        setController(object, boat);
        await apply(client, 'harbour', [{ plural: 'configmaps', object }]);
        return 'continue';
      };
      const owns = [{ informer: logs, mapToKeys: (map: KubeObject) => controllerKeys(map, { group, kind: 'Boat' }) }];
      await using _harbour = await startHarbour(world(), { yard, steps: [ensureLog], owns });
      const name = await yard.make();
      await yard.until(name, isSynced);
      const at = { ...maps, name };
      const made = await client.get(at);
      const isWell = async (): Promise<boolean> =>
        ((await client.get(at))['data'] as { entry?: string }).entry === 'all well';
      assert.ok(await isWell());

      await client.patch(at, { type: 'merge', body: { data: { entry: 'mutiny' } } }, { fieldManager: 'crew' });
      await patiently(isWell, { what: 'the changed log to be repaired' });
      await client.delete(at);
      const again = await patiently(() => client.get(at), { what: 'the deleted log to come back' });
      assert.notEqual(again.metadata.uid, made.metadata.uid);
    });

    it('looks at what is there when it starts, and changes nothing that is as it should be', async () => {
      const yard = new Yard(world());
      const name = await yard.make();
      const first = await startHarbour(world(), { yard, steps: [hoist] });
      const before = await yard.until(name, isSynced);
      await first[Symbol.asyncDispose]();
      let reconciles = 0;
      const count: BoatStep = () => {
        reconciles += 1;
        return 'continue';
      };
      await using second = await startHarbour(world(), { yard, steps: [count, hoist] });
      await patiently(() => reconciles === 1);
      await second.controller.stop();
      assert.deepEqual(second.writes, []);
      assert.equal((await yard.read(name)).metadata.resourceVersion, before.metadata.resourceVersion);
    });

    it('that stops ends the reconcile in progress and what it writes, unless it has no time for it', async () => {
      for (const { graceMs, written } of [
        { graceMs: undefined, written: 1 },
        { graceMs: 0, written: undefined },
      ]) {
        const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const hold = async (): Promise<StepResult> => {
          begun.resolve();
          await held.promise;
          return 'continue';
        };
        await using harbour = await startHarbour(world(), { steps: [hold, hoist] });
        const name = await harbour.yard.make();
        await begun.promise;
        const stopped = harbour.controller.stop(graceMs === undefined ? {} : { graceMs });
        held.resolve();
        await stopped;
        assert.equal((await harbour.yard.read(name)).status?.sails, written);
      }
    });
  });
}
