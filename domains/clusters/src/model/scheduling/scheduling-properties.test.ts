import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterRequest } from '../../kinds/cluster-request.ts';
import type { SchedulerConfig } from '../../kinds/scheduler-config.ts';
import { decideRelease } from './decide-release.ts';
import { decideRequest } from './decide-request.ts';
import { holdersOf } from './holds.ts';
import type { HoldMetadata, SchedulingView } from './plan.ts';
import { isExclusive } from './purpose-rule.ts';
import { testChance, testConfig, testRequest, testView } from './test-scheduling.ts';

/** The guarantees of the API: names are unique, and a write fails when the version is not the latest. */
class World {
  clusters = new Map<string, Cluster>();
  requests = new Map<string, ClusterRequest>();
  #version = 0;

  snapshot(): { view: SchedulingView } {
    const alive = new Set(this.requests.keys());
    const view = testView(structuredClone([...this.clusters.values()]));
    return { view: { ...view, isAlive: uid => alive.has(uid) } };
  }

  create(cluster: Cluster): boolean {
    const key = keyIn(cluster);
    if (this.clusters.has(key)) return false;
    this.clusters.set(key, this.#stored(cluster));
    return true;
  }

  write(seen: Cluster, metadata: Partial<HoldMetadata> & { deletionTimestamp?: string }): boolean {
    const stored = this.clusters.get(keyIn(seen));
    if (stored?.metadata.resourceVersion !== seen.metadata.resourceVersion) return false;
    const written = this.#stored({ ...seen, metadata: { ...seen.metadata, ...structuredClone(metadata as object) } });
    this.clusters.set(keyIn(seen), written);
    const { deletionTimestamp, finalizers = [] } = written.metadata;
    if (deletionTimestamp !== undefined && finalizers.length === 0) this.clusters.delete(keyIn(seen));
    return true;
  }

  #stored(cluster: Cluster): Cluster {
    const stored = structuredClone(cluster);
    stored.metadata.resourceVersion = String(++this.#version);
    return stored;
  }
}

const keyIn = ({ metadata }: Cluster): string => `${metadata.namespace}/${metadata.name}`;

/** One reconcile of a scheduler with a stale view. */
function pass(world: World, uid: string, view: SchedulingView, config: SchedulerConfig['spec']): void {
  const request = world.requests.get(uid);
  if (request === undefined) return;
  if (request.metadata.deletionTimestamp !== undefined) return release(world, request, view);
  const plan = decideRequest({ request, config, view, chance: testChance });
  const areGone = plan.type !== 'hold' || plan.orphans.every(orphan => !world.requests.has(orphan));
  const isDone =
    plan.type === 'grant' ||
    (plan.type === 'create' && world.create(plan.cluster)) ||
    (plan.type === 'hold' && areGone && world.write(plan.cluster, plan.metadata));
  if (!isDone) return;
  const { name = '', namespace = '' } = plan.cluster.metadata;
  request.status = { ...request.status, cluster: request.status?.cluster ?? { name, namespace } };
}

function release(world: World, request: ClusterRequest, view: SchedulingView): void {
  const plan = decideRelease(request, view);
  if (plan.type === 'delete') world.write(plan.cluster, { deletionTimestamp: '2030-01-01T00:00:00Z' });
  if (plan.type === 'let-go') world.write(plan.cluster, { finalizers: plan.finalizers });
  // Caches may be stale: the real controller waits for its own writes, and stale ones of others cost a retry.
  const isFree = [...world.clusters.values()].every(each => !holdersOf(each).includes(request.metadata.uid ?? ''));
  if (plan.type === 'done' && isFree) world.requests.delete(request.metadata.uid ?? '');
}

const isLimited = ({ purposes }: SchedulerConfig['spec']): boolean => (purposes['p']?.tenancyCount ?? 0) > 0;

type Action = { readonly type: 'ask' | 'look' | 'pass' | 'delete' | 'force'; readonly request: number };

const actions = fc.array(
  fc.record<Action>({
    type: fc.constantFrom('ask', 'ask', 'look', 'pass', 'pass', 'pass', 'delete', 'force'),
    request: fc.integer({ min: 0, max: 7 }),
  }),
  // By default most sequences would be too short for a race.
  { maxLength: 80, size: 'max' },
);
const configs = fc
  .record({
    tenancy: fc.constantFrom('Shared' as const, 'Exclusive' as const),
    tenancyCount: fc.integer({ min: 0, max: 3 }),
    strategy: fc.constantFrom('Balanced' as const, 'Random' as const, 'Simple' as const),
    isGoing: fc.boolean(),
  })
  .map(({ tenancy, tenancyCount, strategy, isGoing }) => {
    const labels = { 'clusters.openmcp.cloud/delete-without-requests': String(isGoing) };
    return testConfig({ tenancy, tenancyCount, metadata: { labels } }, { strategy });
  });

function play(config: SchedulerConfig['spec'], story: readonly Action[], check: (world: World) => void): World {
  const world = new World();
  const views = new Map<number, SchedulingView>();
  let born = 0;
  const uidOf = new Map<number, string>();
  for (const { type, request: number } of story) {
    const uid = uidOf.get(number) ?? '';
    if (type === 'ask' && !world.requests.has(uid)) {
      const request = testRequest({ uid: `uid-${born++}` });
      request.metadata.name = `r${number}`;
      uidOf.set(number, request.metadata.uid ?? '');
      world.requests.set(request.metadata.uid ?? '', request);
    }
    if (type === 'look') views.set(number, world.snapshot().view);
    if (type === 'pass') pass(world, uid, views.get(number) ?? world.snapshot().view, config);
    const asked = world.requests.get(uid);
    if (type === 'delete' && asked !== undefined) asked.metadata.deletionTimestamp ??= '2030-01-01T00:00:00Z';
    if (type === 'force') world.requests.delete(uid);
    check(world);
  }
  return world;
}

describe('Scheduling on caches that are behind', () => {
  it('never gives a cluster to more requests than it may have', () => {
    fc.assert(
      fc.property(configs, actions, (config, story) => {
        const limit = config.purposes['p']?.tenancyCount || Number.POSITIVE_INFINITY;
        play(config, story, world => {
          for (const cluster of world.clusters.values()) {
            assert.ok(holdersOf(cluster).length <= (isExclusive(cluster) ? 1 : limit));
          }
        });
      }),
      { numRuns: 300 },
    );
  });

  it('gives every request a cluster that it holds, once caches have caught up', () => {
    fc.assert(
      fc.property(configs, actions, (config, story) => {
        const unforced = story.filter(({ type }) => type !== 'force');
        const world = play(config, unforced, () => undefined);
        for (let round = 0; round < 10; round++) {
          for (const uid of world.requests.keys()) pass(world, uid, world.snapshot().view, config);
        }
        for (const [uid, { status }] of world.requests) {
          const { namespace, name } = status?.cluster ?? {};
          const cluster = world.clusters.get(`${namespace}/${name}`);
          // The name of a limited cluster contains its first request; when that comes back, the name may be taken.
          assert.ok(cluster === undefined ? isLimited(config) : holdersOf(cluster).includes(uid));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('leaves no cluster behind that should go with its last request', () => {
    fc.assert(
      fc.property(configs, actions, (config, story) => {
        const labels = { 'clusters.openmcp.cloud/delete-without-requests': 'true' };
        for (const rule of Object.values(config.purposes)) rule.template.metadata = { labels };
        const unforced = story.filter(({ type }) => type !== 'force');
        const world = play(config, unforced, () => undefined);
        for (const request of world.requests.values()) request.metadata.deletionTimestamp ??= '2030-01-01T00:00:00Z';
        for (let round = 0; round < 10 && world.requests.size > 0; round++) {
          for (const uid of world.requests.keys()) pass(world, uid, world.snapshot().view, config);
        }
        assert.equal(world.requests.size, 0);
        assert.equal(world.clusters.size, 0);
      }),
      { numRuns: 300 },
    );
  });
});
