import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError, type JsonObject } from '@chandlery/api';
import fc from 'fast-check';
import type { FieldPath } from './field-path.ts';
import { type FieldSet, hasField, memberPaths } from './field-set.ts';
import { World } from './test-world.ts';

const letter = fc.constantFrom('a', 'b', 'c');
const small = fc.integer({ min: 0, max: 2 });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

const port = fc.record(
  { port: small, protocol: optional(fc.constantFrom('TCP', 'UDP')), name: optional(letter) },
  { requiredKeys: ['port'] },
);
const ports = fc.uniqueArray(port, { maxLength: 3, selector: ({ port, protocol }) => `${port}${protocol ?? 'TCP'}` });
const container = fc.record(
  { name: letter, image: optional(letter), ports: optional(ports), args: optional(fc.array(letter, { maxLength: 2 })) },
  { requiredKeys: ['name'] },
);

const body: fc.Arbitrary<JsonObject> = fc
  .record({
    labels: optional(fc.dictionary(letter, letter)),
    replicas: optional(small),
    selector: optional(fc.dictionary(letter, letter)),
    tags: optional(fc.uniqueArray(letter)),
    steps: optional(fc.array(letter, { maxLength: 2 })),
    strategy: optional(fc.record({ type: optional(letter), surge: optional(small) })),
    containers: optional(fc.uniqueArray(container, { maxLength: 3, selector: ({ name }) => name })),
    free: optional(
      fc.dictionary(letter, fc.oneof(small, fc.dictionary(letter, small), fc.array(small, { maxLength: 2 }))),
    ),
  })
  .map(({ labels, ...spec }) => JSON.parse(JSON.stringify({ metadata: { labels }, spec })) as JsonObject);

const write = fc.record({
  kind: fc.constantFrom('apply', 'force', 'update'),
  manager: fc.constantFrom('m1', 'm2', 'm3'),
  body,
});
const writes = fc.array(write, { minLength: 1, maxLength: 8 });

type Write = { kind: string; manager: string; body: JsonObject };

/** Makes one write; false when it was rejected as a conflict. */
function perform(world: World, { kind, manager, body }: Write): boolean {
  try {
    if (kind === 'update') world.update(manager, body);
    else world.apply(manager, body, { force: kind === 'force' });
    return true;
  } catch (error) {
    if (isError(error, 'Conflict')) return false;
    throw error;
  }
}

function worldAfter(history: readonly Write[]): World {
  const world = new World();
  for (const one of history) perform(world, one);
  return world;
}

const fieldsOf = (world: World, manager: string, operation: string): FieldSet =>
  (world.live?.metadata.managedFields?.find(entry => entry.manager === manager && entry.operation === operation)
    ?.fieldsV1 ?? {}) as FieldSet;

describe('ownership, whatever is written', () => {
  it('changes nothing when the same is applied twice', () => {
    fc.assert(
      fc.property(writes, write, (history, last) => {
        const world = worldAfter(history);
        world.apply(last.manager, last.body, { force: true });
        const { live } = world;
        world.apply(last.manager, last.body);
        assert.equal(world.live, live);
        assert.equal(world.changed, false);
      }),
    );
  });

  it('takes no field from its owner by an apply without force', () => {
    fc.assert(
      fc.property(writes, write, (history, last) => {
        const world = worldAfter(history);
        const before = world.live?.metadata.managedFields ?? [];
        if (!perform(world, { ...last, kind: 'apply' })) return;
        for (const { manager, operation, fieldsV1 } of before) {
          if (manager === last.manager && operation === 'Apply') continue;
          const after = fieldsOf(world, manager ?? '', operation ?? '');
          const owned = (fieldsV1 ?? {}) as FieldSet;
          for (const path of memberPaths(owned)) {
            assert.ok(hasField(after, path) || isGoneWithItem(world, owned, path), `${manager} lost ${path.join(' ')}`);
          }
        }
      }),
    );
  });

  it('applies what it says: every applied value is there', () => {
    fc.assert(
      fc.property(writes, write, (history, last) => {
        const world = worldAfter(history);
        world.apply(last.manager, last.body, { force: true });
        const { live } = world;
        world.apply('witness', last.body);
        assert.deepEqual({ ...world.content }, { ...contentOf(live) });
      }),
    );
  });

  it('never has two updaters that own the same leaf', () => {
    fc.assert(
      fc.property(writes, history => {
        const world = new World();
        for (const one of history) {
          perform(world, { ...one, kind: 'update' });
          const owned = (world.live?.metadata.managedFields ?? []).flatMap(({ fieldsV1 }) =>
            [...memberPaths((fieldsV1 ?? {}) as FieldSet)].map(path => path.join('\n')),
          );
          assert.equal(new Set(owned).size, owned.length);
        }
      }),
    );
  });
});

/**
 * True for a field that was removed because another manager removed or replaced the list item or map key around it, which
 * the field's owner did not own: the owner of an item may remove it with all that is in it.
 */
function isGoneWithItem(world: World, owned: FieldSet, path: FieldPath): boolean {
  const present = new World().update('all', world.content);
  if (hasField(fieldsOf(present, 'all', 'Update'), path)) return false;
  return path.some((element, depth) => {
    const isItem = element.startsWith('k:') || path[depth - 1] === 'f:free';
    return isItem && depth < path.length - 1 && !hasField(owned, path.slice(0, depth + 1));
  });
}

function contentOf(live: World['live']): JsonObject {
  const world = new World();
  world.live = live;
  return world.content;
}
