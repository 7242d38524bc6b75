import assert from 'node:assert/strict';
import { appendFile, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import { type TempFolder, tempFolder } from '@chandlery/testing';
import { type AuditEntry, AuditLog } from './audit-log.ts';
import { type AuditQuery, findAuditEntry, readAudit } from './audit-reader.ts';

const start = Date.parse('2026-03-01T00:00:00Z');
const timeOf = (index: number): string => new Date(start + index * 1000).toISOString();

const entry = (index: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
  time: timeOf(index),
  id: String(index),
  user: 'ann',
  groups: [],
  sourceIp: '',
  userAgent: '',
  cluster: 'onboarding',
  verb: 'create',
  group: '',
  version: 'v1',
  resource: 'configmaps',
  code: 201,
  latencyMs: 1,
  ...more,
});

const linesOf = (entries: readonly AuditEntry[]): string => entries.map(each => `${JSON.stringify(each)}\n`).join('');
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

const everything: AuditQuery = { limit: 1000, matches: () => true };
const idsOf = (page: { entries: readonly { entry: AuditEntry }[] }): string[] =>
  page.entries.map(each => each.entry.id);

/** A log of three files: 20 to 30 in the youngest, 0 to 10 in the oldest. */
async function writeLog(folder: TempFolder): Promise<{ path: string; keep: number }> {
  const path = folder.join('audit.log');
  for (const [age, from] of [20, 10, 0].entries()) {
    const file = age === 0 ? path : `${path}.${age}`;
    await writeFile(file, linesOf(range(from, from + 10).map(index => entry(index))));
  }
  return { path, keep: 5 };
}

describe('reading the audit log', () => {
  test('returns the newest records of all files first', async () => {
    await using folder = await tempFolder();
    const page = await readAudit(everything, await writeLog(folder));
    assert.deepEqual(idsOf(page), range(0, 30).reverse().map(String));
    assert.deepEqual([page.next, page.searchedTo, page.damagedLines], [undefined, undefined, 0]);
  });

  test('continues where a page has ended, also when the file was put aside and written on meanwhile', async () => {
    await using folder = await tempFolder();
    const options = await writeLog(folder);
    const { path } = options;
    const ids: string[] = [];
    let before: string | undefined;
    for (let count = 0; count < 20; count += 1) {
      const page = await readAudit({ ...everything, limit: 4, ...(before !== undefined && { before }) }, options);
      ids.push(...idsOf(page));
      before = page.next;
      if (before === undefined) break;
      if (count === 1) {
        for (const age of [2, 1]) await rename(`${path}.${age}`, `${path}.${age + 1}`);
        await rename(path, `${path}.1`);
        await writeFile(path, linesOf([entry(99)]));
      }
    }
    assert.deepEqual(ids, range(0, 30).reverse().map(String));
  });

  test('says when a position is no longer kept, and rejects what is none', async () => {
    await using folder = await tempFolder();
    const options = await writeLog(folder);
    await assert.rejects(readAudit({ ...everything, before: 'zz-1' }, options), error => isError(error, 'Expired'));
    for (const before of ['../audit.log', '1', 'a-b-c', ''])
      await assert.rejects(readAudit({ ...everything, before }, options), error => isError(error, 'BadRequest'));
  });

  test('leaves out damaged lines and says how many there are', async () => {
    await using folder = await tempFolder();
    const path = folder.join('audit.log');
    const whole = JSON.stringify(entry(4));
    const parts = [
      linesOf([entry(1)]),
      '\u0000\u0000\u0000\n',
      '{"time":"never","verb":"create"}\n'.replace('"verb"', 'verb'),
      '[]\n\n"text"\n',
      // A record that a crash has cut, and the one that was written after it.
      `${whole.slice(0, 90)}${JSON.stringify(entry(5))}\n`,
      whole.slice(0, 60),
    ];
    await writeFile(path, parts.join(''));
    const page = await readAudit(everything, { path, keep: 5 });
    assert.deepEqual(idsOf(page), ['5', '1']);
    assert.equal(page.damagedLines, 5);
  });

  test('passes over a line without an end, however long, in bounded memory', async () => {
    await using folder = await tempFolder();
    const path = folder.join('audit.log');
    await writeFile(path, linesOf([entry(1)]));
    const { size } = await stat(path);
    await truncate(path, size + 40 * 1024 * 1024);
    await appendFile(path, `\n${linesOf([entry(2)])}`);
    const page = await readAudit(everything, { path, keep: 5 });
    assert.deepEqual([idsOf(page), page.damagedLines], [['2', '1'], 1]);
  });

  test('selects by content and by time', async () => {
    await using folder = await tempFolder();
    const path = folder.join('audit.log');
    await writeFile(path, linesOf(range(0, 1000).map(index => entry(index, index % 100 === 0 ? { user: 'bob' } : {}))));
    const query: AuditQuery = { limit: 100, matches: ({ user }) => user === 'bob', contains: ['"user":"bob"'] };
    assert.equal((await readAudit(query, { path, keep: 0 })).entries.length, 10);
    const some = await readAudit({ ...query, from: timeOf(200), to: timeOf(400) }, { path, keep: 0 });
    assert.deepEqual(idsOf(some), ['400', '300', '200']);
    assert.equal(some.next, undefined);
  });

  test('looks through a part of a huge log only, and says how far it came', async () => {
    await using folder = await tempFolder();
    const path = folder.join('audit.log');
    // A hole of a gigabyte costs no disk; what is read of it would be counted as a damaged line.
    await writeFile(path, linesOf([entry(0)]));
    await truncate(path, 1024 ** 3);
    await appendFile(path, `\n${linesOf(range(1, 6000).map(index => entry(index)))}`);
    const options = { path, keep: 5, maxBytes: 600 * 1024 };
    const first = await readAudit({ limit: 10, matches: ({ id }) => id === '1' }, options);
    assert.deepEqual([idsOf(first), first.damagedLines], [[], 0]);
    assert.ok(first.searchedTo !== undefined && first.searchedTo > timeOf(1000));
    const second = await readAudit({ limit: 10, matches: ({ id }) => id === '1', before: first.next ?? '' }, options);
    const third = await readAudit({ limit: 1, matches: ({ id }) => id === '1', before: second.next ?? '' }, options);
    assert.deepEqual([...idsOf(second), ...idsOf(third)], ['1']);
  });

  test('finds the end of a time range in a large file without reading what is later', async () => {
    await using folder = await tempFolder();
    const path = folder.join('audit.log');
    const count = 40_000;
    await writeFile(path, linesOf(range(0, count).map(index => entry(index))));
    // The records of the last minutes before the end of the range are read in any case.
    const options = { path, keep: 0, maxBytes: 2 * 1024 * 1024 };
    const page = await readAudit({ limit: 2, matches: () => true, to: timeOf(1000) }, options);
    assert.deepEqual(idsOf(page), ['1000', '999']);
  });

  test('returns one record by its position', async () => {
    await using folder = await tempFolder();
    const options = await writeLog(folder);
    const { entries } = await readAudit(everything, options);
    for (const { position, entry: expected } of entries)
      assert.deepEqual((await findAuditEntry(position, options))?.entry, expected);
    assert.equal(await findAuditEntry('zz-0', options), undefined);
  });

  test('is possible for logs in files alone', async () => {
    await using folder = await tempFolder();
    const log = new AuditLog({ target: { to: 'file', path: folder.join('audit.log') } });
    assert.deepEqual((await log.read(everything)).entries, [], 'nothing was written yet');
    log.record(entry(1));
    await log.flush();
    const [found] = (await log.read(everything)).entries;
    assert.equal((await log.find(found?.position ?? ''))?.entry.id, '1');
    await log.close();
    for (const to of ['off', 'stdout'] as const)
      assert.throws(
        () => new AuditLog({ target: { to } }).read(everything),
        error => isError(error, 'MethodNotAllowed'),
      );
  });
});
