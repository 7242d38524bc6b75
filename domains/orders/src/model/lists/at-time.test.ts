import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAtTime } from './at-time.ts';

const frame = { now: new Date('2030-01-08T00:00:00Z'), retentionMs: 7 * 24 * 3_600_000 };

test('times become comparable with those of records', () => {
  const cases: readonly (readonly [text: string, time: string | undefined])[] = [
    ['2030-01-02T00:00:00Z', '2030-01-02T00:00:00.000000Z'],
    ['2030-01-02T00:00:00.123456Z', '2030-01-02T00:00:00.123456Z'],
    ['2030-01-02T02:00:00+02:00', '2030-01-02T00:00:00.000000Z'],
    ['2030-01-02T02:00:00 02:00', '2030-01-02T00:00:00.000000Z'],
    ['2031-01-01T00:00:00Z', undefined],
    ['', undefined],
  ];
  for (const [text, time] of cases) assert.equal(readAtTime(text, frame), time, text);
});

test('what is no time, and what is not kept, is rejected', () => {
  for (const text of ['yesterday', '2030-01-02', '2030-13-02T00:00:00Z', '12'])
    assert.throws(() => readAtTime(text, frame), { code: 'Orders:bad-request' }, text);
  assert.throws(() => readAtTime('2029-12-31T23:59:59Z', frame), { code: 'Orders:at-time-too-old' });
  assert.equal(
    readAtTime('1996-12-19T16:39:57-08:00', { ...frame, retentionMs: undefined }),
    '1996-12-20T00:39:57.000000Z',
  );
});
