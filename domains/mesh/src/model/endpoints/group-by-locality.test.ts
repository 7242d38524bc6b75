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
  it('asks the own cluster first, then the region, then the rest', () => {
    assert.deepEqual(placesIn([far, near, own]), [
      [0, 'eu', 'eu-a', 1],
      [1, 'eu', 'eu-a', 1],
      [2, 'us', 'us-a', 1],
    ]);
  });

  it('leaves no gaps where a level has nobody', () => {
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

  it('takes no other cluster for near when the region is not known', () => {
    const nowhere = someEndpoint({ ip: '10.0.3.1', cluster: 'grey' });
    assert.deepEqual(placesIn([nowhere, near], { cluster: 'blue' } as typeof here), [
      [0, '', 'grey', 1],
      [0, 'eu', 'eu-a', 1],
    ]);
  });

  it('takes a cluster for a zone when it says nothing of zones', () => {
    const { zone: _, ...unzoned } = own;
    assert.deepEqual(placesIn([unzoned]), [[0, 'eu', 'blue', 1]]);
  });

  it('keeps the number of a level of which nobody can take traffic, so that clients pass over it', () => {
    const ill = { ...own, health: 'unhealthy' as const };
    assert.deepEqual(placesIn([ill, near]), [
      [0, 'eu', 'eu-a', 1],
      [1, 'eu', 'eu-a', 1],
    ]);
  });

  it('weighs a zone by what can take traffic there', () => {
    const more = [
      { ...own, ip: '10.0.0.2', weight: 3 },
      { ...own, ip: '10.0.0.3', health: 'draining' as const, weight: 5 },
    ];
    assert.deepEqual(placesIn([own, ...more]), [[0, 'eu', 'eu-a', 4]]);
  });

  it('keeps weights within what clients can take', () => {
    const heavy = ['a', 'b', 'c'].map((zone, index) => ({ ...own, ip: `10.0.0.${index}`, zone, weight: 2 ** 31 - 1 }));
    assert.deepEqual(faultsOf(groupByLocality(heavy, here)), []);
  });

  it('loses nobody, sorts, and gives clients nothing to refuse, whatever the order', () => {
    fc.assert(
      fc.property(endpointLists(), viewpoints, (endpoints, from) => {
        const groups = groupByLocality(endpoints, from);
        assert.deepEqual(faultsOf(groups), []);
        assert.deepEqual(addressesOf(groups).toSorted(), endpoints.map(({ ip, port }) => `${ip}:${port}`).toSorted());
        assert.deepEqual(groupByLocality(endpoints.toReversed(), from), groups);
      }),
    );
  });

  it('gives a nearer endpoint never a later turn', () => {
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
