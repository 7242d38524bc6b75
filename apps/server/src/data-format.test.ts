import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertReadable, claimFormat, formatFacts } from './data-format.ts';

/** Facts as the store keeps them: never replaced. */
function createFacts() {
  const kept = new Map<string, string>();
  return {
    get: async (name: string) => kept.get(name),
    putIfAbsent: async (name: string, value: string) => kept.set(name, kept.get(name) ?? value).get(name) ?? '',
  };
}

test('a store of the same or an earlier format is taken, one of a later format is not', async () => {
  const facts = createFacts();
  await claimFormat({ facts }, 1);
  await claimFormat({ facts }, 1);
  await claimFormat({ facts }, 3);
  await claimFormat({ facts }, 3);
  for (const format of [1, 2])
    await assert.rejects(claimFormat({ facts }, format), { code: 'DataTooNew', message: /format/ });
});

test('a backup of a later format is rejected', () => {
  assertReadable(formatFacts(2), 2);
  assertReadable({}, 1);
  assert.throws(() => assertReadable(formatFacts(2), 1), { code: 'DataTooNew' });
});
