import assert from 'node:assert/strict';
import { test } from 'node:test';
import { controllerSchemaOf, isSameSchema, normalizeSchema } from './schema-names.ts';
import { accountUrn, parseUrn, urnOf } from './urns.ts';

const uuid = '00000000-0000-4000-8000-00000000000a';

test('a URN has its kind and a UUID', () => {
  assert.equal(parseUrn('service', urnOf('service', uuid)), uuid);
  assert.equal(parseUrn('service', urnOf('service', uuid.toUpperCase())), uuid);
  for (const wrong of [uuid, urnOf('order', uuid), `${urnOf('service', uuid)}0`, 'urn:ivcap:service:', ''])
    assert.equal(parseUrn('service', wrong), undefined, wrong);
});

test('an account is a UUID of version 5, the same for the same tenant', () => {
  assert.match(
    accountUrn('default'),
    /^urn:ivcap:account:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  assert.equal(accountUrn('default'), accountUrn('default'));
  assert.notEqual(accountUrn('default'), accountUrn('other'));
});

test('both spellings of a schema are the same one', () => {
  assert.equal(normalizeSchema('urn:ivcap:schema.service.basic.1'), 'urn:ivcap:schema:service.basic.1');
  assert.ok(isSameSchema('urn:ivcap:schema.service.2', 'urn:ivcap:schema:service.2'));
  assert.equal(controllerSchemaOf({ $schema: 'urn:ivcap:schema.service.rest.1' }), 'urn:ivcap:schema:service.rest.1');
  for (const controller of [undefined, {}, { $schema: 7 }, { $schema: '' }])
    assert.equal(controllerSchemaOf(controller), undefined);
});
