import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KnownRegions } from './known-regions.ts';
import { testEndpoint } from './test-endpoints.ts';

const endpointsIn = (regions: readonly string[]) => regions.map(region => testEndpoint('10.0.0.1', { region }));

test('regions of clusters are known for ever, those of endpoints while a service runs there', () => {
  const known = new KnownRegions([{ region: 'eu' }, {}]);
  known.note('shop/a', endpointsIn(['eu', 'us', '']));
  known.note('shop/b', [testEndpoint('10.0.0.1'), ...endpointsIn(['us'])]);
  const show = (): boolean[] => ['eu', 'us', '', 'moon'].map(region => known.has(region));
  assert.deepEqual(show(), [true, true, false, false]);
  known.note('shop/a', []);
  assert.deepEqual(show(), [true, true, false, false]);
  known.note('shop/b', []);
  assert.deepEqual(show(), [true, false, false, false]);
});

test('after any changes, exactly the regions of the current services are known', () => {
  const region = fc.constantFrom('a', 'b', 'c', '');
  const notes = fc.array(fc.tuple(fc.constantFrom('shop/1', 'shop/2', 'shop/3'), fc.array(region)));
  fc.assert(
    fc.property(notes, all => {
      const known = new KnownRegions([]);
      const now = new Map<string, readonly string[]>();
      for (const [service, regions] of all) {
        known.note(service, endpointsIn(regions));
        now.set(service, regions);
      }
      const wanted = new Set([...now.values()].flat());
      for (const name of ['a', 'b', 'c']) assert.equal(known.has(name), wanted.has(name), name);
    }),
  );
});
