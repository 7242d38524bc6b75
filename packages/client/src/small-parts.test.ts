import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { tempFolder } from '@chandlery/testing';
import { bearerToken } from './bearer-token.ts';
import { parseYamlDocuments } from './parse-yaml.ts';
import { retryAfterMs } from './retry-after.ts';

describe('Retry-After', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  const cases: readonly [header: string | undefined, waitMs: number | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['soon', undefined],
    ['0', 0],
    ['7', 7000],
    ['99999', 60_000],
    ['Thu, 01 Jan 2026 00:00:05 GMT', 5000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ];
  for (const [header, waitMs] of cases) {
    test(`"${header}" means ${waitMs}`, () => assert.equal(retryAfterMs(header, now), waitMs));
  }
});

test('YAML that cannot be read is named with the place, in one line', () => {
  assert.throws(() => parseYamlDocuments('a: [\n', 'wrong.yaml'), {
    code: 'YamlInvalid',
    message: /^cannot read wrong\.yaml: [^\n]+ at line \d+, column \d+$/,
  });
});

describe('a token file', () => {
  test('is read again after a minute and kept while it is away', async () => {
    await using folder = await tempFolder();
    const path = folder.join('token');
    let now = 0;
    const token = bearerToken({ server: '', tokenFile: path }, () => now);
    await writeFile(path, 'one');
    assert.equal(await token.current(), 'one');
    await writeFile(path, 'two\n');
    assert.equal(await token.current(), 'one');
    now = 60_000;
    assert.equal(await token.current(), 'two');
    await rm(path);
    now = 120_000;
    assert.equal(await token.current(), 'two');
  });

  test('must be there at first', async () => {
    const token = bearerToken({ server: '', tokenFile: '/does/not/exist' });
    await assert.rejects(token.current(), { code: 'KubeconfigInvalid' });
  });
});
