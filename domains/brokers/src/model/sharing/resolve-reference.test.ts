import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { SmError } from '../../errors.ts';
import {
  seedInstance,
  seedOffering,
  seedPlan,
  seedTenant,
  startTestRegistry,
  type TestRegistry,
} from '../../test-registry.ts';
import { resolveReference } from './resolve-reference.ts';
import { brokerInstanceOf, referencesOf } from './rows-of-instance.ts';

describe('resolving a reference', () => {
  let world: TestRegistry;

  before(async () => {
    world = await startTestRegistry();
    const { registry, client } = world;
    await seedTenant(client, 'acme');
    await seedOffering(registry, { id: 'pg' });
    await seedPlan(registry, { id: 'small', spec: { offeringId: 'pg', name: 'small', catalogName: 'small-catalog' } });
    await seedPlan(registry, { id: 'large', spec: { offeringId: 'pg', name: 'large', catalogName: 'large-catalog' } });
    await seedPlan(registry, { id: 'queue', spec: { offeringId: 'mq', name: 'small' } });
    const shared = true;
    await seedInstance(registry, {
      id: 'one',
      spec: { name: 'db', planId: 'small', shared, labels: { env: ['dev'] } },
    });
    await seedInstance(registry, {
      id: 'two',
      spec: { name: 'db2', planId: 'large', shared, labels: { env: ['prod'] } },
    });
    await seedInstance(registry, { id: 'own', spec: { planId: 'small' } });
    await seedInstance(registry, { id: 'queue-1', spec: { planId: 'queue', shared } });
    await seedInstance(registry, { id: 'acme-1', tenant: 'acme', spec: { planId: 'small', shared } });
    await seedInstance(registry, { id: 'ref', spec: { planId: 'small', referencedInstanceId: 'one' } });
  });
  after(() => world[Symbol.asyncDispose]());

  const resolve = (
    parameters: JsonObject | undefined,
    options: { by?: 'name' | 'catalog_name'; tenant?: string } = {},
  ) =>
    resolveReference(world.registry, {
      offeringId: 'pg',
      tenant: options.tenant ?? 'service-manager',
      by: options.by ?? 'name',
      parameters,
    });

  const found: readonly [why: string, parameters: JsonObject, id: string][] = [
    ['an id', { referenced_instance_id: 'one' }, 'one'],
    ['an instance name', { selectors: { instance_name_selector: 'db2' } }, 'two'],
    ['a plan name', { selectors: { plan_name_selector: 'large' } }, 'two'],
    ['a label query', { selectors: { instance_label_selector: ["env eq 'dev'"] } }, 'one'],
    ['an empty id beside selectors', { referenced_instance_id: '', selectors: { plan_name_selector: 'small' } }, 'one'],
    [
      'all selectors together',
      {
        selectors: {
          instance_name_selector: 'db',
          plan_name_selector: 'small',
          instance_label_selector: ["env in ('dev','test')", "other ne 'x'"],
        },
      },
      'one',
    ],
  ];
  for (const [why, parameters, id] of found) {
    test(`works by ${why}`, () => assert.equal(resolve(parameters).id, id));
  }

  const rejected: readonly [why: string, parameters: JsonObject | undefined, code: string, status: number][] = [
    ['no parameters', undefined, 'BadRequest', 400],
    ['neither way', { other: 1 }, 'BadRequest', 400],
    ['empty selectors', { selectors: { instance_name_selector: '', instance_label_selector: [] } }, 'BadRequest', 400],
    ['both ways', { referenced_instance_id: 'one', selectors: { plan_name_selector: 'small' } }, 'BadRequest', 400],
    ['an id that is no text', { referenced_instance_id: 7 }, 'BadRequest', 400],
    ['an id that is too long', { referenced_instance_id: 'x'.repeat(101) }, 'BadRequest', 400],
    ['selectors that are no object', { selectors: 'db' }, 'BadRequest', 400],
    ['label queries that are no list', { selectors: { instance_label_selector: 'a' } }, 'BadRequest', 400],
    ['label queries that are no texts', { selectors: { instance_label_selector: [1] } }, 'BadRequest', 400],
    [
      'a label query that cannot be read',
      { selectors: { instance_label_selector: ['env is dev'] } },
      'BadRequest',
      400,
    ],
    ['an unknown id', { referenced_instance_id: 'nobody' }, 'NotFound', 404],
    ['an instance of another tenant', { referenced_instance_id: 'acme-1' }, 'NotFound', 404],
    ['an instance that is not shared', { referenced_instance_id: 'own' }, 'BadRequest', 400],
    ['an instance of another offering', { referenced_instance_id: 'queue-1' }, 'NotFound', 404],
    ['selectors that nothing matches', { selectors: { instance_name_selector: 'nothing' } }, 'NotFound', 404],
    ['an unknown plan name', { selectors: { plan_name_selector: 'huge' } }, 'NotFound', 404],
  ];
  for (const [why, parameters, code, status] of rejected) {
    test(`rejects ${why}`, () => {
      assert.throws(
        () => resolve(parameters),
        error => error instanceof SmError && error.code === code && error.status === status,
      );
    });
  }

  test('names all candidates when several match', () => {
    assert.throws(
      () => resolve({ referenced_instance_id: '*' }),
      error => error instanceof SmError && error.status === 400 && error.facts.ids?.join() === 'one,two',
    );
  });

  test('takes the only shared instance of a tenant for a star', () => {
    assert.equal(resolve({ referenced_instance_id: '*' }, { tenant: 'acme' }).id, 'acme-1');
  });

  test("means the broker's plan names over OSB", () => {
    const selectors = { plan_name_selector: 'large-catalog' };
    assert.equal(resolve({ selectors }, { by: 'catalog_name' }).id, 'two');
    assert.throws(() => resolve({ selectors }), { code: 'NotFound' });
  });

  test('a reference leads to the shared instance, and that one to its references', () => {
    const { registry } = world;
    const reference = registry.instances.get('ref');
    const shared = registry.instances.get('one');
    assert.ok(reference !== undefined && shared !== undefined);
    assert.equal(brokerInstanceOf(registry, reference), shared);
    assert.equal(brokerInstanceOf(registry, shared), shared);
    assert.deepEqual(referencesOf(registry, shared), [reference]);
    assert.deepEqual(referencesOf(registry, { id: 'two', tenant: shared.tenant }), []);
  });
});
