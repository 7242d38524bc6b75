import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertReadable, claimFormat, readFormatFacts, restoreFormatFacts, rotatedFormat } from './data-format.ts';

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
  await claimFormat({ facts }, 1, 1);
  await claimFormat({ facts }, 1, 1);
  await claimFormat({ facts }, 3, 3);
  await claimFormat({ facts }, 3, 3);
  for (const format of [1, 2])
    await assert.rejects(claimFormat({ facts }, format, format), { code: 'DataTooNew', message: /format/ });
});

test('what a start writes, earlier versions can read until something else is written', async () => {
  const facts = createFacts();
  await claimFormat({ facts });
  await claimFormat({ facts }, 1, 1);
  await claimFormat({ facts }, rotatedFormat);
  await assert.rejects(claimFormat({ facts }, 1, 1), { code: 'DataTooNew' });
  await claimFormat({ facts });
});

test('a backup of a later format is rejected, and what is restored has the format of its backup', async () => {
  const facts = createFacts();
  await claimFormat({ facts });
  assertReadable(await readFormatFacts({ facts }), 1);
  await claimFormat({ facts }, rotatedFormat);
  const found = await readFormatFacts({ facts });
  assertReadable(found, 2);
  assertReadable({}, 1);
  assert.throws(() => assertReadable(found, 1), { code: 'DataTooNew' });
  const restored = createFacts();
  await restoreFormatFacts({ facts: restored }, found);
  await assert.rejects(claimFormat({ facts: restored }, 1, 1), { code: 'DataTooNew' });
});
