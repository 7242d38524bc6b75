import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ResourceAddress, resourceAttributes } from './resource-attributes.ts';

const configMaps: ResourceAddress = { group: '', plural: 'configmaps', namespace: 'default' };

for (const { why, verb, fieldSelector, name } of [
  { why: 'a list of the object that its selector names', verb: 'list', fieldSelector: 'metadata.name=a', name: 'a' },
  { why: 'a watch of it', verb: 'watch', fieldSelector: 'metadata.name=a', name: 'a' },
  { why: 'a selector that excludes a name', verb: 'list', fieldSelector: 'metadata.name!=a', name: '' },
  { why: 'a selector that cannot be parsed', verb: 'list', fieldSelector: 'metadata.name', name: '' },
  { why: 'a verb without selectors', verb: 'create', fieldSelector: 'metadata.name=a', name: '' },
])
  test(`the attributes of ${why} name ${name === '' ? 'no object' : 'the object'}`, () => {
    assert.equal(resourceAttributes(verb, configMaps, fieldSelector).name, name);
  });

test('the attributes of a request on a namespace are those of a request inside it', () => {
  const attributes = resourceAttributes('get', { group: '', plural: 'namespaces', name: 'team' });
  assert.deepEqual(attributes, { verb: 'get', group: '', resource: 'namespaces', namespace: 'team', name: 'team' });
});
