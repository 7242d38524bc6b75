import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { tempFolder } from '@chandlery/testing';
import { type AuditEntry, AuditLog, maxUnknownPerMinute } from './audit-log.ts';
import type { HttpLogger } from './logger.ts';

const entry = (id: string): AuditEntry => ({
  time: '2026-01-01T00:00:00Z',
  id,
  user: 'ann',
  groups: ['devs'],
  sourceIp: '127.0.0.1',
  userAgent: 'kubectl',
  cluster: 'onboarding',
  verb: 'create',
  group: '',
  version: 'v1',
  resource: 'configmaps',
  namespace: 'd',
  name: 'x',
  code: 201,
  latencyMs: 3,
});

const idsIn = async (path: string): Promise<string[]> =>
  (await readFile(path, 'utf8'))
    .split('\n')
    .filter(line => line !== '')
    .map(line => (JSON.parse(line) as { id: string }).id);

const range = (count: number, start = 0) => Array.from({ length: count }, (_, index) => String(start + index));

/** A logger that keeps its messages. */
function keepingLogger() {
  const messages: string[] = [];
  const keep = (message: string) => messages.push(message);
  const logger: HttpLogger = { info: keep, warn: keep, error: keep };
  return { logger, messages };
}

describe('the audit log', () => {
  test('holds one line for each record, in order, in a file that others cannot read', async () => {
    await using folder = await tempFolder();
    const path = folder.join('audit.log');
    const log = new AuditLog({ target: { to: 'file', path } });
    for (const id of range(100)) log.record(entry(id));
    await log.flush();
    for (const id of range(100, 100)) log.record(entry(id));
    await log.close();
    assert.deepEqual(await idsIn(path), range(200));
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  });

  test('keeps what happened before, whatever clients without an identity send', async () => {
    await using folder = await tempFolder();
    const path = folder.join('audit.log');
    const { logger, messages } = keepingLogger();
    const log = new AuditLog({ target: { to: 'file', path }, maxBytes: 500_000, keep: 0, logger });
    log.record(entry('first'));
    const long = 'x'.repeat(30_000);
    for (const id of range(5000)) {
      const user = Number(id) % 2 === 0 ? '' : 'system:anonymous';
      log.record({
        ...entry(id),
        user,
        code: 401,
        userAgent: long,
        name: long,
        groups: Array.from({ length: 100 }, () => 'g'),
      });
    }
    log.record({ ...entry('next minute'), time: '2026-01-01T00:01:00Z', user: '', code: 401 });
    log.record({ ...entry('known'), code: 403 });
    await log.close();
    const ids = await idsIn(path);
    assert.equal(ids.length, maxUnknownPerMinute + 3);
    assert.deepEqual([ids[0], ...ids.slice(-2)], ['first', 'next minute', 'known']);
    assert.equal(messages.length, 1);
    assert.ok((await stat(path)).size < 2000 * ids.length);
  });

  test('continues in an existing file', async () => {
    await using folder = await tempFolder();
    const path = folder.join('audit.log');
    for (const id of ['1', '2']) {
      const log = new AuditLog({ target: { to: 'file', path } });
      log.record(entry(id));
      await log.close();
    }
    assert.deepEqual(await idsIn(path), ['1', '2']);
  });

  test('puts full files aside and keeps the youngest', async () => {
    await using folder = await tempFolder();
    const path = folder.join('audit.log');
    const lineBytes = JSON.stringify(entry('00')).length + 1;
    const log = new AuditLog({ target: { to: 'file', path }, maxBytes: lineBytes * 2, keep: 2 });
    for (const id of range(10, 10)) {
      log.record(entry(id));
      await log.flush();
    }
    await log.close();
    assert.deepEqual((await readdir(folder.path)).sort(), ['audit.log', 'audit.log.1', 'audit.log.2']);
    assert.deepEqual(await idsIn(path), ['18', '19']);
    assert.deepEqual(await idsIn(`${path}.1`), ['16', '17']);
    assert.deepEqual(await idsIn(`${path}.2`), ['14', '15']);
  });

  test('warns once while the disk fails, and continues when it works again', async () => {
    await using folder = await tempFolder();
    const path = folder.join('audit.log');
    await mkdir(path);
    const { logger, messages } = keepingLogger();
    const log = new AuditLog({ target: { to: 'file', path }, logger });
    for (const id of ['1', '2', '3']) {
      log.record(entry(id));
      await log.flush();
    }
    assert.deepEqual(messages, ['the audit log cannot be written; records are being lost']);
    await rm(path, { recursive: true });
    log.record(entry('4'));
    await log.close();
    assert.deepEqual(await idsIn(path), ['4']);
    assert.equal(messages.at(-1), 'the audit log can be written again');
  });

  test('may be off', async () => {
    const log = new AuditLog({ target: { to: 'off' } });
    log.record(entry('1'));
    await log.close();
  });
});
