import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseDatabaseUrl } from './database-url.ts';

describe('the address of a database', () => {
  test('of one server stays as it is', () => {
    const text = 'postgres://u:pa55@h:5432/d?sslmode=require';
    assert.deepEqual(parseDatabaseUrl(text), { urls: [text], target: 'read-write' });
    assert.deepEqual(parseDatabaseUrl('postgresql:///d').urls, ['postgresql:///d']);
  });

  test('of several servers is taken apart', () => {
    assert.deepEqual(parseDatabaseUrl('postgres://u:p%2C@one:5432,two,[::1]:5433/d?target_session_attrs=read-write'), {
      urls: ['postgres://u:p%2C@one:5432/d', 'postgres://u:p%2C@two/d', 'postgres://u:p%2C@[::1]:5433/d'],
      target: 'read-write',
    });
    assert.equal(parseDatabaseUrl('postgres://one,two/d?target_session_attrs=any').target, 'any');
  });

  for (const [text, why] of [
    ['mysql://h/d', /starts with postgres:\/\//],
    ['postgres://one:54x2,two/d', /gives host 1 a port that is no number/],
    ['postgres://one,two:99999/d', /gives host 2 a port/],
    ['postgres://one,,two/d', /leaves host 2 empty/],
    ['postgres://::1/d', /IPv6 addresses need \[ \]/],
    [
      'postgres://one,two/d?target_session_attrs=standby',
      /unknown target_session_attrs; it is one of read-write, primary, any/,
    ],
    ['postgres:///d?host=one,two', /several hosts in "host="/],
  ] as const) {
    test(`${text} is rejected with what is wrong with it`, () => {
      assert.throws(() => parseDatabaseUrl(text), why);
    });
  }
});
