import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { canTakeTraffic } from './endpoint-order.ts';
import { groupByLocality } from './group-by-locality.ts';
import { levelOf } from './level-of.ts';
import { addressesOf, endpointLists, faultsOf, someEndpoint, viewpoints } from './test-endpoints.ts';

const here = { cluster: 'blue', region: 'eu' };
const far = someEndpoint({ ip: '10.0.2.1', cluster: 'red', region: 'us', zone: 'us-a' });
const near = someEndpoint({ ip: '10.0.1.1', cluster: 'green', region: 'eu', zone: 'eu-a' });
const own = someEndpoint({ ip: '10.0.0.1', cluster: 'blue', region: 'eu', zone: 'eu-a' });

const placesIn = (endpoints: readonly (typeof own)[], from = here) =>
  groupByLocality(endpoints, from).map(({ priority, region, zone, weight }) => [priority, region, zone, weight]);

describe('Grouping by locality', () => {
  it('prefers the own cluster, then the region, then the rest', () => {
    assert.deepEqual(placesIn([far, near, own]), [
      [0, 'eu', 'eu-a', 1],
      [1, 'eu', 'eu-a', 1],
      [2, 'us', 'us-a', 1],
    ]);
  });

  it('has no gaps for empty levels', () => {
    assert.deepEqual(
      placesIn([far, own]).map(([priority]) => priority),
      [0, 1],
    );
    assert.deepEqual(
      placesIn([far]).map(([priority]) => priority),
      [0],
    );
    assert.deepEqual(placesIn([]), []);
  });

  it('prefers no other cluster when the region is unknown', () => {
    const nowhere = someEndpoint({ ip: '10.0.3.1', cluster: 'grey' });
    assert.deepEqual(placesIn([nowhere, near], { cluster: 'blue' } as typeof here), [
      [0, '', 'grey', 1],
      [0, 'eu', 'eu-a', 1],
    ]);
  });

  it('treats a cluster without zones as one zone', () => {
    const { zone: _, ...unzoned } = own;
    assert.deepEqual(placesIn([unzoned]), [[0, 'eu', 'blue', 1]]);
  });

  it('keeps the number of a level without healthy endpoints, so that clients skip it', () => {
    const ill = { ...own, health: 'unhealthy' as const };
    assert.deepEqual(placesIn([ill, near]), [
      [0, 'eu', 'eu-a', 1],
      [1, 'eu', 'eu-a', 1],
    ]);
  });

  it('weighs a zone by its healthy endpoints', () => {
    const more = [
      { ...own, ip: '10.0.0.2', weight: 3 },
      { ...own, ip: '10.0.0.3', health: 'draining' as const, weight: 5 },
    ];
    assert.deepEqual(placesIn([own, ...more]), [[0, 'eu', 'eu-a', 4]]);
  });

  it('keeps weights within the range of clients', () => {
    const heavy = ['a', 'b', 'c'].map((zone, index) => ({ ...own, ip: `10.0.0.${index}`, zone, weight: 2 ** 31 - 1 }));
    assert.deepEqual(faultsOf(groupByLocality(heavy, here)), []);
  });

  it('drops no endpoint, sorts, and produces only valid groups, in any order', () => {
    fc.assert(
      fc.property(endpointLists(), viewpoints, (endpoints, from) => {
        const groups = groupByLocality(endpoints, from);
        assert.deepEqual(faultsOf(groups), []);
        assert.deepEqual(addressesOf(groups).toSorted(), endpoints.map(({ ip, port }) => `${ip}:${port}`).toSorted());
        assert.deepEqual(groupByLocality(endpoints.toReversed(), from), groups);
      }),
    );
  });

  it('never gives a nearer endpoint a lower priority', () => {
    fc.assert(
      fc.property(endpointLists(), viewpoints, (endpoints, from) => {
        const turns = groupByLocality(endpoints, from).flatMap(({ priority, endpoints: members }) =>
          members.map(endpoint => ({ priority, level: levelOf(endpoint, from) })),
        );
        for (const a of turns) for (const b of turns) assert.equal(a.level < b.level, a.priority < b.priority);
      }),
    );
  });

  it('weighs zones of one level like the fit endpoints in them', () => {
    fc.assert(
      fc.property(endpointLists(20, 1), viewpoints, (endpoints, from) => {
        for (const { weight, endpoints: members } of groupByLocality(endpoints, from))
          assert.equal(weight, Math.max(1, members.filter(canTakeTraffic).length));
      }),
    );
  });
});
