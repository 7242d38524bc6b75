import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { tempFolder } from '@chandlery/testing';
import { YamlDecoder } from './yaml-decoder.ts';

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');
const long = lines(1000, index => `key${index}: value`);

const codeOf = (outcome: PromiseSettledResult<unknown>): string | undefined =>
  outcome.status === 'rejected' ? (outcome.reason as { readonly code: string }).code : undefined;

describe('a YAML decoder', () => {
  it('reads long texts as it reads short ones', async () => {
    const decoder = new YamlDecoder();
    const values = (count: number) => lines(count, index => `k${index}: {a: ${2n ** 63n - 1n}, b: [ü, 1.5, null]}`);
    for (const count of [3, 1000]) {
      const value = (await decoder.decode(values(count), 'a')) as Record<string, unknown>;
      assert.equal(Object.keys(value).length, count);
      assert.deepEqual(value['k1'], { a: 2n ** 63n - 1n, b: ['ü', 1.5, null] });
    }
  });

  it('says what is wrong with long texts, and reads on', async () => {
    const decoder = new YamlDecoder();
    for (const end of ['a: [1', 'key1: twice', 'a: .inf', 'a: *missing']) {
      await assert.rejects(decoder.decode(`${long}\n${end}`, 'a'), { code: 'BadRequest' }, end);
    }
    const nested = `${'['.repeat(501)}${']'.repeat(501)}`;
    await assert.rejects(decoder.decode(`${long}\na: ${nested}`, 'a'), /nested deeper than 500 levels/);
    const wide = lines(30_001, index => `k${index}: 1`);
    await assert.rejects(decoder.decode(wide, 'a'), { code: 'RequestEntityTooLarge' });
    assert.equal(Object.keys((await decoder.decode(long, 'a')) as object).length, 1000);
  });

  it('lets the main thread work while it reads', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await new YamlDecoder().decode(
      lines(20_000, index => `k${index}: v`),
      'a',
    );
    clearInterval(timer);
    assert.ok(turns > 5, `${turns} turns`);
  });

  it('accepts only so many texts of one sender, and others of another', async () => {
    const decoder = new YamlDecoder();
    const settled = Promise.allSettled(Array.from({ length: 12 }, () => decoder.decode(long, 'greedy')));
    const other = await decoder.decode(long, 'modest');
    assert.ok(other);
    const outcomes = await settled;
    const refused = outcomes.filter(outcome => outcome.status === 'rejected');
    // One is being read and eight wait.
    assert.equal(refused.length, 3);
    for (const { reason } of refused) assert.equal((reason as { code: string }).code, 'TooManyRequests');
  });

  it('gives a text up that takes too long, and reads the next one', async () => {
    await using folder = await tempFolder();
    const program = folder.join('worker.mjs');
    await writeFile(
      program,
      `import { parentPort } from 'node:worker_threads';
       parentPort.on('message', text => {
         if (text.startsWith('hang')) while (true);
         if (text.startsWith('crash')) throw new Error('out of order');
         parentPort.postMessage({ json: new TextEncoder().encode('"read"') });
       });`,
    );
    const decoder = new YamlDecoder({ timeoutMs: 1000, worker: pathToFileURL(program) });
    const text = (word: string): string => word.padEnd(10_000);
    const [hung, crashed, next] = await Promise.allSettled([
      decoder.decode(text('hang'), 'a'),
      decoder.decode(text('crash'), 'b'),
      decoder.decode(text('fine'), 'c'),
    ]);
    assert.deepEqual([codeOf(hung), codeOf(crashed)], ['RequestEntityTooLarge', 'ServiceUnavailable']);
    assert.deepEqual(next, { status: 'fulfilled', value: 'read' });
  });
});
