import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiError, ChandleryError, conflict, invalid, notFound } from '@chandlery/api';
import { statusOfError } from './status.ts';

const pods = { group: '', resource: 'pods' };

const errors: readonly { why: string; thrown: unknown; code: number; reason: string; message: RegExp }[] = [
  {
    why: 'a missing object',
    thrown: notFound(pods, 'a'),
    code: 404,
    reason: 'NotFound',
    message: /^pods "a" not found$/,
  },
  { why: 'a lost race', thrown: conflict(pods, 'a'), code: 409, reason: 'Conflict', message: /has been modified/ },
  {
    why: 'an invalid object',
    thrown: invalid({ group: '', kind: 'Pod' }, 'a', []),
    code: 422,
    reason: 'Invalid',
    message: /Pod "a" is invalid/,
  },
  {
    why: 'a store that is down',
    thrown: new ChandleryError('Unavailable', 'disk full'),
    code: 503,
    reason: 'ServiceUnavailable',
    message: /disk full/,
  },
  {
    why: 'forgotten history',
    thrown: new ChandleryError('Compacted', 'gone'),
    code: 410,
    reason: 'Expired',
    message: /gone/,
  },
  {
    why: 'a method that is not allowed',
    thrown: apiError('MethodNotAllowed', 'no'),
    code: 405,
    reason: 'MethodNotAllowed',
    message: /no/,
  },
  {
    why: 'a bug',
    thrown: new TypeError('secret internals'),
    code: 500,
    reason: 'InternalError',
    message: /the server log says more/,
  },
  {
    why: 'an unknown code',
    thrown: new ChandleryError('Odd', 'secret internals'),
    code: 500,
    reason: 'InternalError',
    message: /the server log says more/,
  },
  {
    why: 'an error with a hint',
    thrown: new ChandleryError('BadRequest', 'bad', { hint: 'do better' }),
    code: 400,
    reason: 'BadRequest',
    message: /^bad; do better$/,
  },
];

describe('the status of an error', () => {
  for (const { why, thrown, code, reason, message } of errors) {
    test(`says ${code} ${reason} for ${why}`, () => {
      const status = statusOfError(thrown);
      assert.deepEqual([status.code, status.reason, status.status], [code, reason, 'Failure']);
      assert.match(status.message ?? '', message);
    });
  }

  test('asks to come back when the server cannot work', () => {
    assert.deepEqual(statusOfError(new ChandleryError('Unavailable', 'x')).details, { retryAfterSeconds: 1 });
  });

  test('gives the token that continues an expired list', () => {
    const status = statusOfError(apiError('Expired', 'too old', { continueToken: 'abc' }));
    assert.deepEqual([status.metadata, status.details], [{ continue: 'abc' }, {}]);
  });
});
