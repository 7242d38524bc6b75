import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { issueManyCertificates } from './issue-many.ts';

test('many certificates are issued one after the other', () => {
  assert.match(new X509Certificate(issueManyCertificates(3)).subjectAltName ?? '', /sa\/account-2$/);
});
