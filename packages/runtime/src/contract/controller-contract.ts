import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChandleryError, conflict } from '@chandlery/api';
import { findCondition } from '../helpers/conditions.ts';
import { terminalError } from '../helpers/errors.ts';
import { type BoatStep, hoist, isSynced, startHarbour } from './test-harbour.ts';
import type { World } from './test-world.ts';

/** Reconciles, what they write, and what becomes of their failures. */
export function describeController(world: () => World): void {
  describe('a controller', () => {
    it('runs its steps in order, writes the status once, and says what it has seen', async () => {
      const ran: string[] = [];
      const step =
        (name: string): BoatStep =>
        () => {
          ran.push(name);
          return 'continue';
        };
      const stop: BoatStep = () => 'stop';
      await using harbour = await startHarbour(world(), { steps: [step('a'), hoist, step('b'), stop, step('c')] });
      const name = await harbour.yard.make();
      const first = await harbour.yard.until(name, isSynced);
      assert.deepEqual([first.status?.sails, first.status?.observedGeneration], [1, first.metadata.generation]);
      assert.equal(findCondition(first, 'Synced')?.observedGeneration, first.metadata.generation);
      await harbour.yard.patch(name, { spec: { sails: 3 } });
      const second = await harbour.yard.until(name, boat => boat.status?.sails === 3);
      assert.equal(second.status?.observedGeneration, second.metadata.generation);
      assert.ok((second.metadata.generation ?? 0) > (first.metadata.generation ?? 0));
      assert.deepEqual(ran, ['a', 'b', 'a', 'b']);
      assert.deepEqual(harbour.writes, [`status ${name}`, `status ${name}`]);
    });

    it('never writes object and status together', async () => {
      const label: BoatStep = object => {
        object.metadata.labels = { ...object.metadata.labels, seen: 'yes' };
        return 'continue';
      };
      await using harbour = await startHarbour(world(), { steps: [label, hoist] });
      const name = await harbour.yard.make();
      const boat = await harbour.yard.until(name, isSynced);
      assert.deepEqual([boat.metadata.labels?.['seen'], boat.status?.sails], ['yes', 1]);
      assert.deepEqual(harbour.writes, [`object ${name}`, `status ${name}`]);
    });

    it('is not woken by what it wrote itself', async () => {
      const reconciles: string[] = [];
      const count: BoatStep = object => {
        reconciles.push(object.metadata.name ?? '');
        return 'continue';
      };
      await using harbour = await startHarbour(world(), { steps: [count, hoist] });
      const first = await harbour.yard.make();
      await harbour.yard.until(first, isSynced);
      // Delivered after everything that was written before: a reconcile of the first one would come first.
      const second = await harbour.yard.make();
      await harbour.yard.until(second, isSynced);
      assert.deepEqual(reconciles, [first, second]);
    });

    it('undoes what others write into the status', async () => {
      await using harbour = await startHarbour(world(), { steps: [hoist] });
      const { yard } = harbour;
      const name = await yard.make();
      await yard.until(name, isSynced);
      const forged = { type: 'merge', body: { status: { sails: 99 } } } as const;
      await yard.client.patch({ ...yard.at(name), subresource: 'status' }, forged);
      await yard.until(name, boat => boat.status?.sails === 1);
    });

    it('takes a lost race for no error, be it lost by a step or by its write', async () => {
      const shown: string[] = [];
      let races = 0;
      const race: BoatStep = object => {
        shown.push(...(findCondition(object, 'Synced') === undefined ? [] : ['condition']));
        races += 1;
        if (races === 1) throw conflict({ group: world().group, resource: 'boats' }, object.metadata.name ?? '');
        return 'continue';
      };
      let quick = 0;
      await using harbour = await startHarbour(world(), {
        steps: [race, hoist],
        interfere: async (yard, name) => {
          if (quick++ === 0) await yard.patch(name, { metadata: { labels: { quick: 'yes' } } });
        },
      });
      const name = await harbour.yard.make();
      const boat = await harbour.yard.until(name, isSynced);
      assert.deepEqual([boat.metadata.labels?.['quick'], boat.status?.sails], ['yes', 1]);
      assert.deepEqual(shown, []);
    });

    it('shows a failure and tries again', async () => {
      let isBroken = true;
      const fail: BoatStep = () => {
        if (isBroken) throw new ChandleryError('ConnectionFailed', 'the lighthouse does not answer');
        return 'continue';
      };
      await using harbour = await startHarbour(world(), { steps: [fail], backOff: { maxMs: 20 } });
      const name = await harbour.yard.make();
      const failed = await harbour.yard.until(name, boat => findCondition(boat, 'Synced') !== undefined);
      const { status, reason, message } = findCondition(failed, 'Synced') ?? assert.fail();
      assert.deepEqual([status, reason, message], ['False', 'ReconcileError', 'the lighthouse does not answer']);
      isBroken = false;
      await harbour.yard.until(name, isSynced);
    });

    it('gives up on a terminal error until the object changes', async () => {
      const reconciles: string[] = [];
      const check: BoatStep = (object, _needs, { failures }) => {
        const { name = '' } = object.metadata;
        reconciles.push(name);
        if (name.startsWith('later') && failures < 3) throw new ChandleryError('Timeout', 'not yet');
        if (!name.startsWith('later') && object.spec?.sails === 1) throw terminalError('a boat needs two sails');
        return 'continue';
      };
      await using harbour = await startHarbour(world(), { steps: [check] });
      const { yard } = harbour;
      const name = await yard.make();
      const failed = await yard.until(name, boat => findCondition(boat, 'Synced') !== undefined);
      assert.equal(findCondition(failed, 'Synced')?.reason, 'TerminalError');
      // Tried again after back-offs that are longer than the one a first failure has.
      const later = await yard.make({ name: `later-${name}` });
      await yard.until(later, isSynced);
      assert.equal(reconciles.filter(each => each === name).length, 1);
      await yard.patch(name, { spec: { sails: 2 } });
      await yard.until(name, isSynced);
    });

    it('comes back after the time that a step asks for', async () => {
      let tide = 0;
      const wait: BoatStep = object => {
        tide += 1;
        if (tide < 3) return { retryAfterMs: 5 };
        object.status = { ...object.status, sails: tide };
        return 'continue';
      };
      await using harbour = await startHarbour(world(), { steps: [wait] });
      const name = await harbour.yard.make();
      await harbour.yard.until(name, boat => boat.status?.sails === 3);
    });
  });
}
