import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@chandlery/platform';
import type { Proxy } from '../../ports.ts';
import { testIdentity } from '../test-server.ts';
import { createLoadAggregate } from './load-aggregate.ts';
import type { ClusterLoad } from './load-reports.ts';

const proxy: Proxy = { nodeId: 'p', identity: testIdentity, dialect: 'envoy', peer: '127.0.0.1:1' };

const load = (cluster: string, issued = 1): ClusterLoad => ({
  cluster,
  intervalMs: 10_000,
  localities: [{ region: '', zone: '', subZone: '', issued, successful: issued, failed: 0, inProgress: 0 }],
  dropped: {},
});

test('only the last complete window is shown', () => {
  const clock = new ManualClock('2030-01-01T00:00:05Z');
  const loads = createLoadAggregate({ clock });
  loads.report(proxy, [load('acme/shop/cart|80', 3)]);
  assert.deepEqual(loads.lastWindow('acme').edges, []);
  clock.set('2030-01-01T00:00:31Z');
  loads.report(proxy, [load('acme/shop/cart|80', 4)]);
  const { start, end, edges } = loads.lastWindow('acme');
  assert.deepEqual([start, end], [new Date('2030-01-01T00:00:00Z'), new Date('2030-01-01T00:00:30Z')]);
  assert.deepEqual(
    edges.map(({ issued }) => issued),
    [3],
  );
  clock.set('2030-01-01T00:01:01Z');
  assert.deepEqual(
    loads.lastWindow('acme').edges.map(({ issued }) => issued),
    [4],
  );
  clock.set('2030-01-01T01:00:00Z');
  assert.deepEqual(loads.lastWindow('acme').edges, [], 'nothing was reported for long');
});

test('it keeps a limited number of pairs of source and destination, and reports the rest as ignored', () => {
  const clock = new ManualClock();
  const loads = createLoadAggregate({ clock, maxEdges: 2 });
  assert.equal(loads.report(proxy, [load('acme/shop/a|80'), load('acme/shop/b|80')]), true);
  assert.equal(loads.report(proxy, [load('acme/shop/c|80'), load('acme/shop/a|80')]), false);
  clock.advance(30_000);
  assert.deepEqual(
    loads.lastWindow('acme').edges.map(({ destination, issued }) => [destination.name, issued]),
    [
      ['a', 2],
      ['b', 1],
    ],
  );
});

test('clusters that are not services of the proxy’s mesh are left out', () => {
  const clock = new ManualClock();
  const loads = createLoadAggregate({ clock });
  assert.equal(loads.report(proxy, [load('umbrella/lab/virus|80'), load('local'), load('')]), true);
  clock.advance(30_000);
  assert.deepEqual([loads.lastWindow('acme').edges, loads.lastWindow('umbrella').edges], [[], []]);
});
