import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import { ManualClock } from '../time/clock.ts';
import { createLogger, type LogFields, type LoggerOptions, type LogSettings } from './logger.ts';
import { maskSecrets, redact } from './redact.ts';

function capture(options: LoggerOptions) {
  const lines: string[] = [];
  const logger = createLogger({
    clock: new ManualClock('2030-01-01T00:00:00Z'),
    write: line => lines.push(line),
    ...options,
  });
  return { logger, lines };
}

function lastRecord(fields: LogFields, message = 'm'): Record<string, unknown> {
  const { logger, lines } = capture({ format: 'json' });
  logger.info(message, fields);
  return JSON.parse(lines[0] ?? '') as Record<string, unknown>;
}

test('JSON lines hold time, level, message and fields', () => {
  assert.deepEqual(lastRecord({ port: 7443 }, 'listening'), {
    time: '2030-01-01T00:00:00.000Z',
    level: 'info',
    message: 'listening',
    port: 7443,
  });
});

test('text lines are for people', () => {
  const { logger, lines } = capture({ format: 'text' });
  logger.warn('slow disk', { took: 12, path: '/data', why: 'two words', nothing: undefined, list: [1, 2] });
  assert.equal(lines[0], '2030-01-01T00:00:00.000Z WARN  slow disk took=12 path=/data why="two words" list=[1,2]\n');
});

test('levels below the threshold are not written', () => {
  const { logger, lines } = capture({ level: 'warn', format: 'text' });
  logger.debug('a');
  logger.info('b');
  logger.warn('c');
  logger.error('d');
  assert.equal(lines.length, 2);
  assert.deepEqual([logger.isEnabled('info'), logger.isEnabled('error')], [false, true]);
});

test('children add their fields and inherit the rest', () => {
  const { logger, lines } = capture({ format: 'json', level: 'debug', fields: { app: 'server' } });
  logger.child({ controller: 'gc' }).child({ key: 'a/b' }).debug('done', { key: 'c/d' });
  assert.deepEqual(JSON.parse(lines[0] ?? ''), {
    time: '2030-01-01T00:00:00.000Z',
    level: 'debug',
    message: 'done',
    app: 'server',
    controller: 'gc',
    key: 'c/d',
  });
});

test('fields cannot pretend to be the line’s own', () => {
  assert.equal(lastRecord({ level: 'error', message: 'forged' }).level, 'info');
});

test('values of secret keys are hidden at any depth', () => {
  const { user, headers, list } = lastRecord({
    user: { name: 'jane', password: 'p4ss', clientSecret: 's', hasPassword: true },
    headers: { Authorization: 'Bearer abcdefgh', 'set-cookie': ['a'] },
    list: [{ 'api-key': 'k', secretName: 'db', tokens: 3 }],
  });
  assert.deepEqual(user, { name: 'jane', password: '***', clientSecret: '***', hasPassword: true });
  assert.deepEqual(headers, { Authorization: '***', 'set-cookie': '***' });
  assert.deepEqual(list, [{ 'api-key': '***', secretName: 'db', tokens: 3 }]);
});

test('a message cannot forge a second line or steer the terminal', () => {
  const { logger, lines } = capture({ format: 'text' });
  logger.info('one\n2030 ERROR two\u001b[31m', { key: 'a\r\nb' });
  assert.equal(lines[0]?.trimEnd().split(/\r|\n/).length, 1);
  assert.ok(!lines[0]?.includes('\u001b'));
});

test('errors are logged with code, hint and cause', () => {
  const error = new ChandleryError('PortTaken', 'port taken', {
    hint: 'choose another',
    cause: new Error('EADDRINUSE'),
  });
  const record = lastRecord({ error }).error as Record<string, unknown>;
  assert.equal(record.code, 'PortTaken');
  assert.equal(record.hint, 'choose another');
  assert.equal((record.cause as Record<string, unknown>).message, 'EADDRINUSE');
  assert.match(String((record.cause as Record<string, unknown>).stack), /logger\.test/);
});

test('values that JSON cannot represent do not break a line', () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const record = lastRecord({
    cycle,
    big: 10n,
    infinite: Number.POSITIVE_INFINITY,
    date: new Date(0),
    bytes: new Uint8Array(3),
    map: new Map([['a', 1]]),
  });
  assert.equal(record.big, '10');
  assert.equal(record.infinite, 'Infinity');
  assert.equal(record.date, '1970-01-01T00:00:00.000Z');
  assert.equal(record.bytes, '3 bytes');
  assert.deepEqual(record.map, { a: 1 });
  assert.equal(redact(null), null);
});

const masked: readonly [string, string][] = [
  ['postgres://jane:pa55@db:5432/x', 'postgres://jane:***@db:5432/x'],
  ['cannot connect to postgres://jane:p@ss/w:rd@db/x now', 'cannot connect to postgres://jane:***@db/x now'],
  ['postgres://db/x?user=jane&password=pa55&ssl=on', 'postgres://db/x?user=jane&password=***&ssl=on'],
  ['postgres://:pa55@db', 'postgres://:***@db'],
  ['host=db password=pa55', 'host=db password=***'],
  ['authorization: Bearer eyJhbGciOi.abc.def', 'authorization: Bearer ***'],
  ['https://localhost:7443/clusters/platform', 'https://localhost:7443/clusters/platform'],
  ['see https://a.example:80/x and mail me@example.org', 'see https://a.example:80/x and mail me@example.org'],
];
for (const [text, expected] of masked) {
  test(`"${text}" is written as "${expected}"`, () => assert.equal(maskSecrets(text), expected));
}

test('settings that are changed hold for the logger and its children from the next line on', () => {
  const lines: string[] = [];
  const settings: LogSettings = { level: 'info', format: 'json' };
  const child = createLogger({ settings, write: line => void lines.push(line) }).child({ part: 'a' });
  child.debug('unseen');
  settings.level = 'debug';
  child.debug('seen');
  settings.format = 'text';
  child.info('as text');
  assert.equal(lines.length, 2);
  assert.equal((JSON.parse(lines[0] ?? '') as { message: string }).message, 'seen');
  assert.doesNotMatch(lines[1] ?? '', /^\{/);
});
