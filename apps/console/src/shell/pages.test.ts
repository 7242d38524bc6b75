import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageOfView } from './pages.ts';

test('a view belongs to the page of its kind', () => {
  assert.equal(pageOfView('fleet', ['cluster', 'eu-1']), 'fleet');
  assert.equal(pageOfView('object', ['brokers.chandlery.io', 'serviceinstances', 'acme', 'shop']), 'instances');
  assert.equal(pageOfView('list', ['core', 'configmaps']), 'kinds');
  assert.equal(pageOfView('list', ['example.org', 'boats']), 'kinds');
});
