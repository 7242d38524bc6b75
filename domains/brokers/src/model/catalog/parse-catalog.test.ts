import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { SmError } from '../../errors.ts';
import { parseCatalog } from './parse-catalog.ts';
import { rawCatalog, rawOffering, rawPlan } from './test-catalog.ts';

const withPlan = (more: JsonObject, offering: JsonObject = {}) =>
  rawCatalog(rawOffering('o', [rawPlan('p', more)], offering));

describe('a catalog is rejected, and the path named, when', () => {
  const statuses: readonly { why: string; catalog: unknown; path: string }[] = [
    { why: 'it is no object', catalog: [], path: 'the document' },
    { why: 'it has no services', catalog: {}, path: 'services' },
    { why: 'services is no list', catalog: { services: {} }, path: 'services' },
    { why: 'a service is no object', catalog: { services: ['x'] }, path: 'services[0]' },
    { why: 'an offering has no id', catalog: withPlan({}, { id: null }), path: 'services[0].id' },
    { why: 'an offering has an empty name', catalog: withPlan({}, { name: '' }), path: 'services[0].name' },
    {
      why: 'an offering has no description',
      catalog: withPlan({}, { description: null }),
      path: 'services[0].description',
    },
    {
      why: 'an offering does not say whether it can be bound',
      catalog: withPlan({}, { bindable: null }),
      path: 'services[0].bindable',
    },
    { why: 'bindable is no boolean', catalog: withPlan({}, { bindable: 'yes' }), path: 'services[0].bindable' },
    { why: 'a tag is no string', catalog: withPlan({}, { tags: ['a', 1] }), path: 'services[0].tags[1]' },
    { why: 'metadata is a list', catalog: withPlan({}, { metadata: [] }), path: 'services[0].metadata' },
    { why: 'an offering has no plans', catalog: rawCatalog(rawOffering('o', [])), path: 'services[0].plans' },
    { why: 'a plan has no id', catalog: withPlan({ id: null }), path: 'services[0].plans[0].id' },
    { why: 'a plan has no name', catalog: withPlan({ name: null }), path: 'services[0].plans[0].name' },
    {
      why: 'a plan has no description',
      catalog: withPlan({ description: null }),
      path: 'services[0].plans[0].description',
    },
    {
      why: 'a plan takes the reserved name',
      catalog: withPlan({ name: 'reference-instance' }),
      path: 'services[0].plans[0].name',
    },
    { why: 'free is no boolean', catalog: withPlan({ free: 0 }), path: 'services[0].plans[0].free' },
    {
      why: 'a polling duration has a fraction',
      catalog: withPlan({ maximum_polling_duration: 1.5 }),
      path: 'services[0].plans[0].maximum_polling_duration',
    },
    {
      why: 'a polling duration is negative',
      catalog: withPlan({ maximum_polling_duration: -1 }),
      path: 'services[0].plans[0].maximum_polling_duration',
    },
    {
      why: 'maintenance info has no version',
      catalog: withPlan({ maintenance_info: {} }),
      path: 'services[0].plans[0].maintenance_info.version',
    },
    {
      why: 'a maintenance version is not semantic',
      catalog: withPlan({ maintenance_info: { version: '1.0' } }),
      path: 'services[0].plans[0].maintenance_info.version',
    },
    {
      why: 'two platform keys are used',
      catalog: withPlan({ metadata: { supportedPlatforms: ['a'], excludedPlatformNames: ['b'] } }),
      path: 'services[0].plans[0].metadata.excludedPlatformNames',
    },
    {
      why: 'supported platforms are no list',
      catalog: withPlan({ metadata: { supportedPlatforms: 'a' } }),
      path: 'services[0].plans[0].metadata.supportedPlatforms',
    },
    {
      why: 'sharing is no boolean',
      catalog: withPlan({ metadata: { supportsInstanceSharing: 'true' } }),
      path: 'services[0].plans[0].metadata.supportsInstanceSharing',
    },
    {
      why: 'an unbindable plan wants sharing',
      catalog: withPlan({ bindable: false, metadata: { supportsInstanceSharing: true } }),
      path: 'services[0].plans[0].metadata.supportsInstanceSharing',
    },
    {
      why: 'a plan of an unbindable offering wants sharing',
      catalog: withPlan({ metadata: { supportsInstanceSharing: true } }, { bindable: false }),
      path: 'services[0].plans[0].metadata.supportsInstanceSharing',
    },
    {
      why: 'a schema is too long',
      catalog: withPlan({
        schemas: { service_binding: { create: { parameters: { description: 'x'.repeat(70_000) } } } },
      }),
      path: 'services[0].plans[0].schemas.service_binding.create.parameters',
    },
    {
      why: 'a schema is no object',
      catalog: withPlan({ schemas: { service_instance: { update: { parameters: 'x' } } } }),
      path: 'services[0].plans[0].schemas.service_instance.update.parameters',
    },
    {
      why: 'two offerings have one id',
      catalog: rawCatalog(rawOffering('o', [rawPlan('p')]), rawOffering('o', [rawPlan('q')], { name: 'other' })),
      path: 'services[1].id',
    },
    {
      why: 'two offerings have one name',
      catalog: rawCatalog(
        rawOffering('a', [rawPlan('p')], { name: 'x' }),
        rawOffering('b', [rawPlan('q')], { name: 'x' }),
      ),
      path: 'services[1].name',
    },
    {
      why: 'two plans of an offering have one id',
      catalog: rawCatalog(rawOffering('o', [rawPlan('p'), rawPlan('p', { name: 'x' })])),
      path: 'services[0].plans[1].id',
    },
    {
      why: 'two plans of an offering have one name',
      catalog: rawCatalog(rawOffering('o', [rawPlan('p', { name: 'x' }), rawPlan('q', { name: 'x' })])),
      path: 'services[0].plans[1].name',
    },
  ];
  for (const { why, catalog, path } of statuses) {
    test(why, () => {
      assert.throws(
        () => parseCatalog(catalog),
        error =>
          error instanceof SmError &&
          error.status === 400 &&
          error.facts.field === path &&
          error.message.includes(path),
      );
    });
  }
});

test('a catalog with no service is legal', () => {
  assert.deepEqual(parseCatalog({ services: [] }).offerings, []);
});

test('the same plan id may appear under two offerings, and the same names too', () => {
  const plan = rawPlan('p');
  const { offerings } = parseCatalog(rawCatalog(rawOffering('a', [plan]), rawOffering('b', [plan])));
  assert.deepEqual(
    offerings.map(({ plans }) => plans.map(({ facts }) => facts.catalogId)),
    [['p'], ['p']],
  );
});

test('null counts as absent at every level of schemas', () => {
  for (const schemas of [
    null,
    { service_instance: null },
    { service_instance: { create: { parameters: null }, update: null } },
  ]) {
    const [offering] = parseCatalog(withPlan({ schemas })).offerings;
    assert.equal(offering?.plans[0]?.facts.catalogId, 'p');
  }
});

test('unknown fields stay in the raw document and are not facts', () => {
  const catalog = { ...withPlan({ vendor: { x: 1 } }, { dashboard_client: { id: 'd' } }), etag: 7 };
  const parsed = parseCatalog(catalog);
  assert.deepEqual(parsed.raw, catalog);
  assert.deepEqual(parsed.offerings[0]?.plans[0]?.raw, { ...rawPlan('p'), vendor: { x: 1 } });
  assert.deepEqual(parsed.offerings[0]?.plans[0]?.facts, {
    catalogId: 'p',
    catalogName: 'name-of-p',
    name: 'name-of-p',
    description: 'A plan',
  });
});

test('all that a plan may say becomes facts', () => {
  const metadata = { supportedPlatformNames: ['cf'], supportsInstanceSharing: true };
  const raw = {
    free: false,
    bindable: true,
    plan_updateable: true,
    binding_rotatable: true,
    metadata,
    maximum_polling_duration: 0,
    maintenance_info: { version: '1.2.3-rc.1+b7', description: 'd' },
  };
  const [offering] = parseCatalog(
    withPlan(raw, { instances_retrievable: true, requires: ['route_forwarding'] }),
  ).offerings;
  assert.deepEqual(offering?.plans[0]?.facts, {
    catalogId: 'p',
    catalogName: 'name-of-p',
    name: 'name-of-p',
    description: 'A plan',
    free: false,
    bindable: true,
    planUpdateable: true,
    bindingRotatable: true,
    metadata,
    maximumPollingDuration: 0,
    maintenanceInfo: raw.maintenance_info,
  });
  assert.equal(offering?.facts.instancesRetrievable, true);
  assert.deepEqual(offering?.facts.requires, ['route_forwarding']);
});
