import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  validateDns1035Label,
  validateDnsLabel,
  validateDnsSubdomain,
  validateLabelValue,
  validateName,
  validatePathSegment,
  validateQualifiedName,
} from './names.ts';

const rules = [
  {
    validate: validateDnsLabel,
    good: ['a', '1-a', 'a'.repeat(63)],
    bad: ['', 'A', '-a', 'a.b', 'a_b', 'a'.repeat(64)],
  },
  { validate: validateDnsSubdomain, good: ['a', 'a.b-c', '1.2'], bad: ['', 'a..b', '.a', 'a.', 'A', 'a'.repeat(254)] },
  { validate: validateDns1035Label, good: ['a', 'a-1'], bad: ['', '1a', 'a-', 'a.b'] },
  {
    validate: validateQualifiedName,
    good: ['a', 'A_b.c', 'example.com/x'],
    bad: ['', '/a', 'a/', 'a/b/c', 'Example.com/x', '_a', `${'a'.repeat(64)}`],
  },
  { validate: validateLabelValue, good: ['', 'a', 'A_b.c-1'], bad: ['-', 'a b', 'a/b', 'a'.repeat(64)] },
  { validate: validatePathSegment, good: ['system:node', 'a b', '...'], bad: ['.', '..', 'a/b', 'a%b'] },
] as const;

describe('Names', () => {
  for (const { validate, good, bad } of rules) {
    for (const text of good)
      it(`accepts ${JSON.stringify(text)} in ${validate.name}`, () => assert.deepEqual(validate(text), []));
    for (const text of bad)
      it(`rejects ${JSON.stringify(text)} in ${validate.name}`, () => assert.notDeepEqual(validate(text), []));
  }

  it('are rejected in the words that Kubernetes uses', () => {
    assert.deepEqual(validateDnsLabel('A'), [
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
    assert.deepEqual(validateDnsSubdomain('x'.repeat(300)), ['must be no more than 253 bytes']);
  });

  it('may end in a dash as a prefix only', () => {
    assert.deepEqual(validateName('job-', 'dns-label', true), []);
    assert.notDeepEqual(validateName('job-', 'dns-label'), []);
  });
});
