import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatAge, formatDuration, formatElapsed, formatMicroTime, formatTime, parseTime } from './time.ts';

describe('Times', () => {
  const time = new Date('2026-01-02T03:04:05.678Z');

  it('are written with seconds, or with six digits', () => {
    assert.equal(formatTime(time), '2026-01-02T03:04:05Z');
    assert.equal(formatMicroTime(time), '2026-01-02T03:04:05.678000Z');
  });

  for (const text of ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678000Z', '2026-01-02T04:04:05.678+01:00']) {
    it(`are read from ${text}`, () => assert.deepEqual(parseTime(text), time));
  }

  for (const text of [
    '',
    '2026-01-02',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-02T25:00:00Z',
    '2026-01-02 03:04:05Z',
    '2026-01-02T03:04:05',
  ]) {
    it(`are not read from ${JSON.stringify(text)}`, () => assert.equal(parseTime(text), undefined));
  }
});

const s = 1;
const m = 60;
const h = 3600;
const d = 86_400;
const y = 365 * d;
const ages: readonly (readonly [number, string])[] = [
  [-5 * s, '<invalid>'],
  [-1 * s, '0s'],
  [0, '0s'],
  [5 * s, '5s'],
  [119 * s, '119s'],
  [2 * m, '2m'],
  [2 * m + 30 * s, '2m30s'],
  [10 * m + 5 * s, '10m'],
  [179 * m, '179m'],
  [3 * h, '3h'],
  [3 * h + 20 * m, '3h20m'],
  [8 * h + 20 * m, '8h'],
  [47 * h, '47h'],
  [2 * d, '2d'],
  [2 * d + 5 * h, '2d5h'],
  [8 * d + 5 * h, '8d'],
  [10 * d, '10d'],
  [729 * d, '729d'],
  [2 * y, '2y'],
  [2 * y + 30 * d, '2y30d'],
  [8 * y + 30 * d, '8y'],
];

describe('Ages', () => {
  for (const [seconds, text] of ages) {
    it(`of ${seconds} seconds read ${text}`, () =>
      assert.equal(formatDuration(seconds * 1000 + 400 * Math.sign(seconds)), text));
  }

  it('are unknown without a time', () => {
    assert.equal(formatAge(undefined, new Date()), '<unknown>');
    assert.equal(formatAge('never', new Date()), '<unknown>');
    assert.equal(formatAge('2026-01-02T03:04:05Z', new Date('2026-01-02T03:09:05Z')), '5m');
  });
});

it('The duration of what runs advances', () => {
  const now = new Date('2026-01-01T00:01:00Z');
  const startedAt = '2026-01-01T00:00:00Z';
  assert.equal(formatElapsed({ startedAt, finishedAt: '2026-01-01T00:00:05Z' }, now), '5s');
  assert.equal(formatElapsed({ startedAt }, now), '60s');
  assert.equal(formatElapsed({}, now), '');
});
