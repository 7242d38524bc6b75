import assert from 'node:assert/strict';
import { test } from 'node:test';
import { momentOf, textOfMoment } from './moment.ts';

test('a moment survives the way through the field, whatever the zone', () => {
  // Typing the year 2026 over another one comes past the year 2.
  for (const value of ['2026-11-18T23:59:59Z', '2026-03-29T01:30:00Z', '0002-11-18T23:59:59Z'])
    assert.equal(momentOf(textOfMoment(value)), value);
});

test('what is no moment is none', () => {
  for (const text of ['', 'yesterday', '2026-13-45T00:00:00Z']) assert.equal(textOfMoment(text), '');
  assert.equal(momentOf('soon'), '');
});
