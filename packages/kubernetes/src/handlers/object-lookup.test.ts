import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChandleryError, type KubeObject } from '@chandlery/api';
import type { ObjectKey, Served, Target } from '@chandlery/kernel';
import { lookUpObjects } from './object-lookup.ts';
import { testCall, testKind } from './test-call.ts';

interface LookedUp {
  readonly items: readonly KubeObject[];
  readonly continue?: string;
  readonly isIncomplete?: boolean;
}

const count = 100;
const keyOf = (number: number): ObjectKey => ({
  cluster: 'shop',
  resource: '/boats',
  namespace: 'harbour',
  name: `boat-${String(number).padStart(3, '0')}`,
});

/** Boats of 100 kB of the owner `u1`, read one by one. */
function harbour(change: (name: string) => Partial<KubeObject['metadata']> | undefined = () => ({})) {
  let readAtATime = 0;
  let mostAtATime = 0;
  const readEntry = async (_target: Target, { name }: { readonly name: string }): Promise<Served | undefined> => {
    readAtATime += 1;
    mostAtATime = Math.max(mostAtATime, readAtATime);
    await Promise.resolve();
    readAtATime -= 1;
    const changed = change(name);
    if (changed === undefined) return undefined;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Quay', name: 'q', uid: 'u1' }];
    const object = { apiVersion: 'v1', kind: 'boats', metadata: { name, ownerReferences, ...changed } };
    return { revision: 1, object, bytes: Buffer.alloc(100_000) };
  };
  const keysOfDependants = async (): Promise<readonly ObjectKey[]> =>
    Array.from({ length: count }, (_, number) => keyOf(number));
  const { call } = testCall({ kinds: [testKind('boats')], calls: { readEntry }, keysOfDependants });
  const lookUp = async (next?: string): Promise<LookedUp> =>
    (await lookUpObjects(call, {
      apiVersion: 'v1',
      kind: 'ObjectLookup',
      metadata: {},
      spec: { owners: ['u1'], ...(next !== undefined && { continue: next }) },
    })) as LookedUp;
  return { lookUp, mostRead: () => mostAtATime };
}

async function namesOnPages(lookUp: (next?: string) => Promise<LookedUp>): Promise<readonly (readonly string[])[]> {
  const pages: string[][] = [];
  let next: string | undefined;
  do {
    const page = await lookUp(next);
    pages.push(page.items.map(({ metadata: { name = '' } }) => name));
    next = page.continue;
  } while (next !== undefined);
  return pages;
}

test('pages end by size, have each object once, and read what they show', async () => {
  const { lookUp, mostRead } = harbour();
  const pages = await namesOnPages(lookUp);
  assert.deepEqual(
    pages.map(({ length }) => length),
    [21, 21, 21, 21, 16],
  );
  assert.deepEqual(
    pages.flat(),
    Array.from({ length: count }, (_, number) => keyOf(number).name),
  );
  assert.ok(mostRead() <= 16, `${mostRead()} objects were read at a time`);
});

test('what is gone or belongs to another owner is left out', async () => {
  const { lookUp } = harbour(name => {
    if (name === 'boat-001') return undefined;
    return name === 'boat-002' ? { ownerReferences: [] } : {};
  });
  const names = (await namesOnPages(lookUp)).flat();
  assert.deepEqual(names.slice(0, 2), ['boat-000', 'boat-003']);
  assert.equal(names.length, count - 2);
});

test('a damaged object hides itself alone', async () => {
  const { lookUp } = harbour(name => {
    if (name === 'boat-001') throw new ChandleryError('StoreDamaged', 'damaged');
    return {};
  });
  assert.equal((await lookUp()).isIncomplete, true);
  assert.equal((await namesOnPages(lookUp)).flat().length, count - 1);
});
