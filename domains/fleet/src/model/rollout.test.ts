import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideRollout } from './rollout.ts';
import type { RolloutCandidate, RolloutInstances, RolloutSpec, RolloutStatus } from './rollout-types.ts';
import { waveSizes } from './rollout-waves.ts';

/** A fleet whose agents apply every change, unless a version is broken for them. */
class TestFleet {
  readonly instances = new Map<string, RolloutCandidate>();
  spec: RolloutSpec = { product: 'dinosaurs', productVersion: '2' };
  status: RolloutStatus = {};
  now = new Date('2026-01-01T00:00:00Z');
  readonly touched = new Set<string>();
  maxRunning = 0;
  /** Whether a cluster offers the new version. */
  isOffered: (id: string) => boolean = () => true;

  constructor(count: number, clusters = 1) {
    for (let i = 0; i < count; i++)
      this.instances.set(`i${String(i).padStart(3, '0')}`, {
        id: `i${String(i).padStart(3, '0')}`,
        state: 'ready',
        clusterId: `c${i % clusters}`,
        desired: { product: '1', operator: 'o' },
        actual: { product: '1', operator: 'o' },
      });
  }

  /** One reconcile, as the controller does it. */
  decide(): void {
    const decision = decideRollout(this.spec, this.status, {
      now: this.now,
      find: id => this.instances.get(id),
      candidates: () =>
        [...this.instances.values()].filter(
          ({ state, desired }) => state === 'ready' && desired?.product !== this.spec.productVersion,
        ),
      problemOf: ({ id }) => (this.isOffered(id) ? undefined : 'not offered'),
    });
    this.status = JSON.parse(JSON.stringify(decision.status)) as RolloutStatus;
    if (decision.pause) this.spec = { ...this.spec, paused: true };
    for (const { id, desired } of decision.changes) {
      this.touched.add(id);
      this.#change(id, { desired });
    }
    const running = [...this.instances.values()].filter(({ desired, actual }) => desired?.product !== actual?.product);
    this.maxRunning = Math.max(this.maxRunning, running.length);
  }

  /** Agents carry out what is desired. */
  obey(broken: (id: string, version: string) => boolean = () => false): void {
    for (const { id, desired, actual } of this.instances.values()) {
      if (desired?.product === actual?.product && this.instances.get(id)?.state === 'ready') continue;
      if (broken(id, desired?.product ?? '')) this.#change(id, { state: 'failed', failedReason: 'crashes' });
      else this.#change(id, { state: 'ready', actual: { ...desired } });
    }
  }

  run(broken?: (id: string, version: string) => boolean): void {
    for (let round = 0; round < 200; round++) {
      this.decide();
      this.obey(broken);
    }
  }

  states(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { state } of Object.values((this.status.instances ?? {}) as RolloutInstances))
      counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  }

  versions(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { actual } of this.instances.values())
      counts[actual?.product ?? ''] = (counts[actual?.product ?? ''] ?? 0) + 1;
    return counts;
  }

  #change(id: string, change: Partial<RolloutCandidate>): void {
    this.instances.set(id, { ...(this.instances.get(id) as RolloutCandidate), ...change });
  }
}

const sizes = [
  { total: 100, waves: undefined, expected: [1, 10, 89] },
  { total: 1, waves: undefined, expected: [1] },
  { total: 0, waves: undefined, expected: [] },
  { total: 10, waves: [{ percent: 50 }], expected: [5, 5] },
  { total: 10, waves: [{ count: 3 }, { count: 20 }], expected: [3, 7] },
  { total: 5001, waves: [{ count: 1 }], expected: [1, 2000, 2000, 1000] },
];
for (const { total, waves, expected } of sizes)
  test(`waves of ${total} instances: ${expected}`, () => assert.deepEqual(waveSizes(total, waves), expected));

test('a rollout moves everything, wave by wave', () => {
  const fleet = new TestFleet(100, 3);
  fleet.decide();
  assert.deepEqual([fleet.status.wave, fleet.states(), fleet.touched.size], [0, { upgrading: 1 }, 1]);
  fleet.obey();
  fleet.decide();
  assert.deepEqual([fleet.status.wave, fleet.states(), fleet.touched.size], [1, { upgrading: 10 }, 11]);
  fleet.run();
  assert.deepEqual(
    [fleet.status.rolloutPhase, fleet.status.upgraded, fleet.versions()],
    ['Succeeded', 100, { 2: 100 }],
  );
});

test('no cluster has more upgrades in progress than its budget', () => {
  const fleet = new TestFleet(100, 2);
  fleet.spec = { ...fleet.spec, maxConcurrentPerCluster: 4 };
  fleet.run();
  assert.deepEqual([fleet.status.rolloutPhase, fleet.maxRunning], ['Succeeded', 8]);
});

test('a broken version stops after the canary, and an abort brings the canary back', () => {
  const fleet = new TestFleet(100, 3);
  fleet.run((_, version) => version === '2');
  assert.deepEqual([fleet.status.rolloutPhase, fleet.status.failed, fleet.touched.size], ['Paused', 1, 1]);
  assert.match(fleet.status.message ?? '', /instance i000: crashes/);
  fleet.spec = { ...fleet.spec, aborted: true };
  fleet.run((_, version) => version === '2');
  assert.deepEqual([fleet.status.rolloutPhase, fleet.versions(), fleet.touched.size], ['Aborted', { 1: 100 }, 1]);
  assert.ok([...fleet.instances.values()].every(({ state }) => state === 'ready'));
});

test('a rollout that was resumed after a failure goes on, and pauses at the next one', () => {
  const fleet = new TestFleet(20);
  const broken = (id: string, version: string) => version === '2' && (id === 'i000' || id === 'i005');
  fleet.run(broken);
  fleet.spec = { ...fleet.spec, paused: false };
  fleet.run(broken);
  assert.deepEqual([fleet.status.rolloutPhase, fleet.status.failed], ['Paused', 2]);
  fleet.spec = { ...fleet.spec, paused: false };
  fleet.run(broken);
  assert.deepEqual([fleet.status.rolloutPhase, fleet.status.upgraded, fleet.status.failed], ['Succeeded', 18, 2]);
});

test('a rollout that tolerates failures goes on', () => {
  const fleet = new TestFleet(10);
  fleet.spec = { ...fleet.spec, maxFailures: 1 };
  fleet.run((id, version) => version === '2' && id === 'i000');
  assert.deepEqual([fleet.status.rolloutPhase, fleet.status.failed], ['Succeeded', 1]);
});

test('a paused rollout begins nothing, and goes on where it was', () => {
  const fleet = new TestFleet(10);
  fleet.spec = { ...fleet.spec, paused: true };
  fleet.run();
  assert.deepEqual([fleet.status.rolloutPhase, fleet.touched.size], ['Paused', 0]);
  fleet.spec = { ...fleet.spec, paused: false };
  fleet.run();
  assert.equal(fleet.status.rolloutPhase, 'Succeeded');
});

test('an upgrade that takes too long has failed', () => {
  const fleet = new TestFleet(3);
  fleet.decide();
  fleet.now = new Date(fleet.now.getTime() + 899_000);
  fleet.decide();
  assert.equal(fleet.status.rolloutPhase, 'Progressing');
  fleet.now = new Date(fleet.now.getTime() + 1000);
  fleet.decide();
  assert.deepEqual([fleet.status.rolloutPhase, fleet.states()], ['Paused', { failed: 1 }]);
});

test('an instance that is deleted meanwhile holds up nothing', () => {
  const fleet = new TestFleet(3);
  fleet.decide();
  fleet.instances.delete('i000');
  fleet.run();
  assert.deepEqual([fleet.status.rolloutPhase, fleet.versions()], ['Succeeded', { 2: 2 }]);
});

test('a rollout over nothing has succeeded', () => {
  const fleet = new TestFleet(0);
  fleet.decide();
  assert.equal(fleet.status.rolloutPhase, 'Succeeded');
});

test('an instance whose cluster did not offer the version is not tried again in place of another one', () => {
  const fleet = new TestFleet(3);
  fleet.isOffered = () => false;
  fleet.run();
  assert.deepEqual([fleet.status.rolloutPhase, fleet.status.failed], ['Paused', 1]);
  fleet.isOffered = () => true;
  fleet.spec = { ...fleet.spec, paused: false };
  fleet.run();
  assert.deepEqual([fleet.status.rolloutPhase, fleet.status.upgraded, fleet.status.failed], ['Succeeded', 2, 1]);
  assert.deepEqual(fleet.versions(), { 1: 1, 2: 2 });
  assert.deepEqual(fleet.status.rejected, ['i000']);
});
