import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiError, type ErrorCause, fieldCause, invalid, isError } from '@chandlery/api';
import { rejectionOf } from './rejections.ts';

const secret = 'Hunter2: "x"';

describe('A refusal of parameters', () => {
  const table: { why: string; cause: ErrorCause; wanted: string }[] = [
    { why: 'missing', cause: fieldCause.required('spec.a'), wanted: 'parameters.a is missing' },
    {
      why: 'a text',
      cause: fieldCause.invalid('spec.a', secret, "should match '^x$'"),
      wanted: "parameters.a is refused: should match '^x$'",
    },
    {
      why: 'a text that is repeated',
      cause: fieldCause.typeInvalid('spec.a', secret, `must be of type date: ${JSON.stringify(secret)}`),
      wanted: 'parameters.a is refused: must be of type date',
    },
    {
      why: 'a number',
      cause: fieldCause.invalid('spec.a[0]', 7, 'should be less than 7'),
      wanted: 'parameters.a[0] is refused: should be less than 7',
    },
    {
      why: 'an object',
      cause: fieldCause.invalid('spec.a', { b: secret }, 'is wrong'),
      wanted: 'parameters.a has a value that is not allowed',
    },
    {
      why: 'one of few',
      cause: fieldCause.notSupported('spec.a', secret, ['b', 'c']),
      wanted: 'parameters.a is refused: supported values: "b", "c"',
    },
    {
      why: 'a duplicate',
      cause: fieldCause.duplicate('spec.a', secret),
      wanted: 'parameters.a has a value that is not allowed',
    },
    {
      why: 'too long',
      cause: fieldCause.tooLong('spec.a', 9),
      wanted: 'parameters.a is refused: Too long: may not be more than 9 bytes',
    },
  ];
  for (const { why, cause, wanted } of table)
    it(`names the field and not the value: ${why}`, () => {
      const rejection = rejectionOf(invalid({ group: 'g', kind: 'K' }, 'n', [cause]));
      assert.ok(isError(rejection, 'BadRequest'));
      assert.equal(rejection.message, wanted);
    });

  it('is no other failure', () => {
    const error = apiError('InternalError', 'no');
    assert.equal(rejectionOf(error), error);
  });
});
