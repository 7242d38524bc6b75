import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import { expectedCensus, takeCensus } from './support/fleet-census.ts';
import { brokenVersion, newestVersion } from './support/fossils.ts';
import { type PlannedInstance, StoryFleet } from './support/story-fleet.ts';

const total = 100;
const formerVersion = '1.0.0';
const kube = '/clusters/onboarding/apis/fleet.chandlery.io/v1alpha1';

const clusters = [
  { clusterId: 'eu-objects', product: 'fossils', region: 'eu', type: 'objects' },
  { clusterId: 'us-objects', product: 'fossils', region: 'us', type: 'objects' },
] as const;
const plan = Array.from({ length: total }, (_, at): PlannedInstance => {
  const region = at % 2 === 0 ? 'eu' : 'us';
  return { product: 'fossils', name: `fossil-${at}`, organisation: at % 4 < 2 ? 'acme' : 'globex', region };
});

interface Versions {
  readonly desired?: { readonly product?: string };
  readonly actual?: { readonly product?: string };
}
interface StoredInstance extends KubeObject {
  readonly status?: Versions & { readonly state?: string; readonly failedReason?: string };
}
interface Rollout {
  readonly status?: {
    readonly rolloutPhase?: string;
    readonly message?: string;
    readonly total?: number;
    readonly wave?: number;
    readonly upgraded?: number;
    readonly failed?: number;
    readonly instances?: Readonly<Record<string, { readonly state: string }>>;
  };
}

/** Another version for a hundred instances, in three waves, by the agents of two clusters. */
describe('A rollout over a hundred instances', () => {
  let fleet: StoryFleet;
  before(async () => {
    fleet = await StoryFleet.start({ plan, clusters });
    await Promise.all(plan.map(planned => fleet.order(planned)));
    await fleet.untilState(plan, 'ready');
  });
  after(async () => {
    await fleet[Symbol.asyncDispose]();
  });

  const start = async (name: string, productVersion: string): Promise<void> => {
    const waves = [{ count: 1 }, { percent: 10 }];
    const { status, text } = await fleet.call('POST', `${kube}/fleetrollouts`, {
      body: {
        apiVersion: 'fleet.chandlery.io/v1alpha1',
        kind: 'FleetRollout',
        metadata: { name },
        spec: { product: 'fossils', productVersion, waves },
      },
    });
    assert.equal(status, 201, text);
  };
  const untilPhase = async (name: string, phase: string): Promise<NonNullable<Rollout['status']>> => {
    let last: Rollout['status'];
    const read = async () => {
      last = (JSON.parse((await fleet.call('GET', `${kube}/fleetrollouts/${name}`)).text) as Rollout).status;
      return last?.rolloutPhase === phase && last;
    };
    return eventually(read, { timeoutMs: 60_000, pauseMs: 50 }).catch((cause: unknown) => {
      throw new Error(`the rollout is ${JSON.stringify(last)}`, { cause });
    });
  };
  const instances = async (): Promise<readonly StoredInstance[]> => {
    const { text } = await fleet.call('GET', `${kube}/namespaces/fleet/fleetinstances`);
    return (JSON.parse(text) as { items: readonly StoredInstance[] }).items;
  };
  /** Versions of the objects on the clusters, counted. */
  const versionsOnClusters = async (): Promise<Readonly<Record<string, number>>> => {
    const counts: Record<string, number> = {};
    for (const { name } of fleet.planes.values()) {
      const selector = encodeURIComponent('fleet.chandlery.io/product=fossils');
      const { text } = await fleet.call('GET', `/clusters/${name}/api/v1/configmaps?labelSelector=${selector}`);
      const { items } = JSON.parse(text) as { items: readonly { data: { version: string } }[] };
      for (const { data } of items) counts[data.version] = (counts[data.version] ?? 0) + 1;
    }
    return counts;
  };
  const revisions = async (): Promise<ReadonlyMap<string, string>> =>
    new Map((await instances()).map(({ metadata }) => [metadata.name ?? '', metadata.resourceVersion ?? '']));

  it('moves all of them in three waves', async () => {
    await start('back', formerVersion);
    const { wave, upgraded, failed, total: covered } = await untilPhase('back', 'Succeeded');
    assert.deepEqual([wave, upgraded, failed, covered], [2, total, 0, total]);
    assert.deepEqual(await versionsOnClusters(), { [formerVersion]: total });
  });

  let untouched: ReadonlyMap<string, string>;
  it('stops after the canary when a version is broken, and touches nothing else', async () => {
    untouched = await revisions();
    await start('broken', brokenVersion);
    const { message = '', wave, upgraded, failed, instances: inWave = {} } = await untilPhase('broken', 'Paused');
    const [canary = ''] = Object.keys(inWave);
    assert.deepEqual([Object.keys(inWave).length, wave, upgraded, failed], [1, 0, 0, 1]);
    assert.match(message, new RegExp(`instance ${canary}: ConfigMap fossil-${brokenVersion} was rejected`));
    const after = await revisions();
    const changed = [...after].filter(([id, revision]) => untouched.get(id) !== revision).map(([id]) => id);
    assert.deepEqual(changed, [canary]);
    const failing = (await instances()).filter(({ status }) => status?.state !== 'ready');
    assert.deepEqual(
      failing.map(({ metadata, status }) => [metadata.name, status?.state, status?.desired?.product]),
      [[canary, 'failed', brokenVersion]],
    );
    assert.deepEqual(await versionsOnClusters(), { [formerVersion]: total }, 'the canary has what it had');
  });

  it('brings the canary back when it is aborted', async () => {
    const { status, text } = await fleet.call('PATCH', `${kube}/fleetrollouts/broken`, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { aborted: true } },
    });
    assert.equal(status, 200, text);
    await untilPhase('broken', 'Aborted');
    for (const { status: found } of await instances())
      assert.deepEqual(
        [found?.state, found?.desired?.product, found?.actual?.product, found?.failedReason],
        ['ready', formerVersion, formerVersion, undefined],
      );
    const changed = [...(await revisions())].filter(([id, revision]) => untouched.get(id) !== revision);
    assert.equal(changed.length, 1, 'only the canary was written');
    assert.deepEqual(await takeCensus(fleet), expectedCensus(fleet, plan));
  });

  it('moves all of them to a version that works afterwards', async () => {
    await start('forward', newestVersion);
    await untilPhase('forward', 'Succeeded');
    assert.deepEqual(await versionsOnClusters(), { [newestVersion]: total });
  });
});
