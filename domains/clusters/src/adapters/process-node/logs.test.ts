import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '@chandlery/platform';
import type { LogRequest } from '../../ports.ts';
import { readLog } from './log-reader.ts';
import { LogWriter, logFiles } from './log-writer.ts';
import { readText, testFolder } from './test-node.ts';

const start = new Date('2026-01-01T00:00:00.125Z');
const about = { uid: 'u', container: 'c' };

function testLog(maxBytes = 1e6) {
  const folder = testFolder();
  const clock = new ManualClock(start);
  const writer = new LogWriter(logFiles(folder.path, 0), clock, maxBytes);
  const say = (text: string): void => writer.write('stdout', Buffer.from(text));
  const read = (request: Partial<LogRequest> = {}) =>
    readText(readLog(writer.files, writer, { ...about, ...request }, clock.now()));
  const dispose = (): void => {
    writer.end();
    folder[Symbol.dispose]();
  };
  return { clock, writer, say, read, [Symbol.dispose]: dispose };
}

describe('logs', { timeout: 10_000 }, () => {
  const cases: readonly { why: string; request: Partial<LogRequest>; expected: string }[] = [
    { why: 'everything', request: {}, expected: 'a\nb\nc\n' },
    { why: 'the last two lines', request: { tailLines: 2 }, expected: 'b\nc\n' },
    { why: 'no lines', request: { tailLines: 0 }, expected: '' },
    { why: 'more lines than there are', request: { tailLines: 9 }, expected: 'a\nb\nc\n' },
    { why: 'the last five seconds', request: { sinceSeconds: 5 }, expected: 'c\n' },
    { why: 'since a time', request: { sinceTime: '2026-01-01T00:00:05Z' }, expected: 'c\n' },
    { why: 'the last minute but one line', request: { sinceSeconds: 60, tailLines: 1 }, expected: 'c\n' },
    { why: 'a few bytes', request: { limitBytes: 3 }, expected: 'a\nb' },
    {
      why: 'times with nine digits',
      request: { tailLines: 1, timestamps: true },
      expected: '2026-01-01T00:00:10.125000000Z c\n',
    },
  ];
  for (const { why, request, expected } of cases) {
    test(`a reader gets ${why}`, async () => {
      using log = testLog();
      log.say('a\nb\n');
      log.clock.advance(10_000);
      log.say('c\n');
      assert.equal(await log.read(request), expected);
    });
  }

  test('lines in pieces come together, an unfinished last one stays unfinished', async () => {
    using log = testLog();
    log.say('hel');
    log.say('lo\nbye');
    assert.equal(await log.read(), 'hello\n');
    log.writer.end();
    assert.equal(await log.read(), 'hello\nbye');
  });

  test('a very long line is one line again, with one time', async () => {
    using log = testLog();
    const long = 'x'.repeat(40_000);
    log.say(`first\n${long}\n`);
    assert.equal(await log.read({ tailLines: 1 }), `${long}\n`);
    assert.equal((await log.read({ timestamps: true })).match(/2026-/g)?.length, 2);
  });

  test('bytes that are no text survive', async () => {
    using log = testLog();
    const bytes = Buffer.from([0xff, 0x00, 0xfe, 0x0a]);
    log.writer.write('stderr', bytes);
    const read = readLog(log.writer.files, undefined, about, start);
    assert.deepEqual(Buffer.from((await read.next()).value ?? []), bytes);
  });

  test('a follower gets what comes, through rotations, until the end', async () => {
    using log = testLog(200);
    log.say('0\n');
    const following = log.read({ follow: true });
    for (let line = 1; line < 30; line++) {
      await new Promise(resolve => setImmediate(resolve));
      log.say(`${line}\n`);
    }
    log.writer.end();
    assert.equal(await following, Array.from({ length: 30 }, (_, line) => `${line}\n`).join(''));
    assert.ok(log.writer.rotations > 5);
  });

  test('a follower that is no longer wanted ends', async () => {
    using log = testLog();
    const abort = new AbortController();
    log.say('a\n');
    const following = log.read({ follow: true, signal: abort.signal });
    setImmediate(() => abort.abort());
    assert.equal(await following, 'a\n');
  });

  test('a log keeps to its size', async () => {
    using log = testLog(1000);
    for (let line = 0; line < 1000; line++) log.say(`${line}\n`);
    const text = await log.read();
    assert.ok(text.length < 2000);
    assert.match(text, /998\n999\n$/);
  });
});
