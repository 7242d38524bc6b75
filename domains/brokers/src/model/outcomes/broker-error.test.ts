import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokerErrorBody, brokerErrorOf } from './broker-error.ts';
import type { BrokerResponse } from './broker-response.ts';
import { retryAfterOf } from './retry-after.ts';

const answerOf = (status: number, body: string, headers: Record<string, string> = {}): BrokerResponse => ({
  status,
  headers,
  body: Buffer.from(body),
});

test("the broker's name comes before what it said, and all else that it said is kept", () => {
  const response = answerOf(400, '{"error":"Bad","description":"no room","instance_usable":false,"own":{"a":1}}');
  assert.deepEqual(brokerErrorBody(response, 'db'), {
    error: 'Bad',
    description: 'Service broker db failed with: no room',
    instance_usable: false,
    own: { a: 1 },
  });
});

test('a broker that gives no reason is still named', () => {
  assert.equal(
    brokerErrorBody(answerOf(400, '{"error":"Bad"}'), 'db').description,
    'Service broker db failed with: Bad',
  );
  assert.equal(
    brokerErrorBody(answerOf(500, '{"description":{}}'), 'db').description,
    'Service broker db failed with: status 500',
  );
});

test('of what is no JSON only the beginning is quoted', () => {
  const sentence = 'Service broker db responded with invalid JSON: ';
  assert.deepEqual(brokerErrorBody(answerOf(500, '<html>'), 'db'), { description: `${sentence}<html>` });
  const { description } = brokerErrorBody(answerOf(500, 'x'.repeat(5000)), 'db');
  assert.equal(description, sentence + 'x'.repeat(1024));
});

const codes = [
  { status: 400, body: '{"error":"AsyncRequired"}', code: 'BrokerError', ours: 502, isRetryable: false },
  { status: 422, body: '{"error":"AsyncRequired"}', code: 'AsyncRequired', ours: 422, isRetryable: false },
  { status: 422, body: '{"error":"ConcurrencyError"}', code: 'ConcurrencyError', ours: 422, isRetryable: true },
  {
    status: 422,
    body: '{"error":"MaintenanceInfoConflict"}',
    code: 'MaintenanceInfoConflict',
    ours: 422,
    isRetryable: false,
  },
  { status: 422, body: '{"error":"OwnWord"}', code: 'BrokerError', ours: 502, isRetryable: false },
  { status: 408, body: '{}', code: 'BrokerError', ours: 502, isRetryable: true },
  { status: 429, body: '{}', code: 'BrokerError', ours: 502, isRetryable: true },
  { status: 500, body: 'garbage', code: 'BrokerError', ours: 502, isRetryable: true },
];
for (const { status, body, code, ours, isRetryable } of codes)
  test(`${status} ${body} is ${code}`, () => {
    const error = brokerErrorOf(answerOf(status, body, { 'retry-after': '9' }), 'db');
    assert.deepEqual([error.code, error.status], [code, ours]);
    const { broker, brokerStatus, retryAfterSeconds } = error.facts;
    assert.deepEqual([broker, brokerStatus, retryAfterSeconds], ['db', status, 9]);
    assert.equal(error.facts.isRetryable, isRetryable);
  });

const waits = [
  { header: '5', seconds: 5 },
  { header: ' 0 ', seconds: 0 },
  { header: 'Wed, 21 Oct 2026 07:28:10 GMT', seconds: 10 },
  { header: 'Wed, 21 Oct 2026 07:00:00 GMT', seconds: 0 },
  { header: '-1', seconds: undefined },
  { header: 'soon', seconds: undefined },
  { header: '', seconds: undefined },
];
for (const { header, seconds } of waits)
  test(`Retry-After "${header}" is ${seconds} s`, () => {
    const headers = { 'retry-after': header, date: 'Wed, 21 Oct 2026 07:28:00 GMT' };
    assert.equal(retryAfterOf({ headers }).retryAfterSeconds, seconds);
  });
