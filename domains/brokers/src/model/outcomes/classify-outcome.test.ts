import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import { type BrokerResponse, brokerFailureCodes } from './broker-response.ts';
import { classifyOutcome } from './classify-outcome.ts';
import type { OsbChange, OsbOutcome, OsbVerb } from './osb-outcome.ts';

const answerOf = (status: number, body: unknown = {}, headers: Record<string, string> = {}): BrokerResponse => ({
  status,
  headers,
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});

/** `failed!` is a failure that calls for mitigation. */
const short = (outcome: OsbOutcome): string =>
  outcome.type === 'failed' && outcome.mitigate ? 'failed!' : outcome.type;

const classify = (verb: OsbVerb, response: BrokerResponse, acceptsIncomplete = true) =>
  classifyOutcome({ verb, brokerName: 'b', response, acceptsIncomplete });

interface Row {
  readonly why: string;
  readonly response: BrokerResponse;
  readonly acceptsIncomplete?: boolean;
  readonly provision: string;
  readonly bind: string;
  readonly update: string;
  readonly deprovision: string;
  readonly unbind: string;
}

const all = (outcome: string) => ({
  provision: outcome,
  bind: outcome,
  update: outcome,
  deprovision: outcome,
  unbind: outcome,
});
const creations = { ...all('failed'), provision: 'failed!', bind: 'failed!' };
const allButUpdate = { ...all('failed!'), update: 'failed' };
const deletions = { ...all('failed'), deprovision: 'succeeded', unbind: 'succeeded' };
const concurrency = { error: 'ConcurrencyError', description: 'in any words' };

const rows: readonly Row[] = [
  { why: '200', response: answerOf(200), ...all('succeeded') },
  { why: '200 that is no JSON', response: answerOf(200, 'garbage'), ...all('failed') },
  { why: '200 that is no object', response: answerOf(200, '[]'), ...all('failed') },
  {
    why: '200 without a body',
    response: answerOf(200, ''),
    ...all('succeeded'),
    provision: 'failed',
    bind: 'failed',
  },
  { why: '200 with a wrong type', response: answerOf(200, { operation: 1 }), ...all('failed') },
  { why: '201', response: answerOf(201), ...all('succeeded') },
  { why: '201 that is no JSON', response: answerOf(201, 'garbage'), ...creations },
  { why: '201 with a wrong type', response: answerOf(201, { operation: {} }), ...creations },
  { why: '202', response: answerOf(202, { operation: 'x' }), ...all('accepted') },
  { why: '202 without an operation', response: answerOf(202), ...all('accepted') },
  { why: '202 with a null operation', response: answerOf(202, { operation: null }), ...all('accepted') },
  { why: '202 that is no JSON', response: answerOf(202, '<html>'), ...creations },
  { why: '202 with an endless operation', response: answerOf(202, { operation: 'x'.repeat(10_001) }), ...creations },
  { why: '202 that was not allowed', response: answerOf(202), acceptsIncomplete: false, ...allButUpdate },
  { why: '204', response: answerOf(204, ''), ...allButUpdate },
  { why: '206', response: answerOf(206), ...allButUpdate },
  { why: '302', response: answerOf(302, ''), ...all('failed') },
  { why: '400', response: answerOf(400, { description: 'no' }), ...all('failed') },
  { why: '401', response: answerOf(401, ''), ...all('failed') },
  { why: '404', response: answerOf(404), ...all('failed') },
  { why: '408', response: answerOf(408), ...all('failed') },
  { why: '409', response: answerOf(409), ...all('failed') },
  { why: '410', response: answerOf(410), ...deletions },
  { why: '410 without a body', response: answerOf(410, ''), ...deletions },
  { why: '422', response: answerOf(422, { error: 'AsyncRequired' }), ...all('failed') },
  { why: '422 because of another request', response: answerOf(422, concurrency), ...all('retry') },
  { why: '400 with the same word', response: answerOf(400, concurrency), ...all('failed') },
  { why: '429', response: answerOf(429), ...all('failed') },
  { why: '500', response: answerOf(500, { description: 'oh' }), ...allButUpdate },
  { why: '500 that is no JSON', response: answerOf(500, '<html>'), ...allButUpdate },
  { why: '502', response: answerOf(502), ...allButUpdate },
  { why: '503', response: answerOf(503), ...allButUpdate },
];

const changes: readonly OsbChange[] = ['provision', 'bind', 'update', 'deprovision', 'unbind'];

describe('The answer to a change', () => {
  for (const row of rows)
    for (const verb of changes)
      test(`${row.why} to ${verb} means ${row[verb]}`, () => {
        assert.equal(short(classify(verb, row.response, row.acceptsIncomplete)), row[verb]);
      });

  test('fields are of the right type only where they are read', () => {
    assert.equal(short(classify('provision', answerOf(201, { dashboard_url: 7 }))), 'failed!');
    assert.equal(short(classify('bind', answerOf(201, { credentials: 'text' }))), 'failed!');
    assert.equal(short(classify('bind', answerOf(201, { volume_mounts: {} }))), 'failed!');
    assert.equal(short(classify('bind', answerOf(201, { credentials: null, unknown: 7 }))), 'succeeded');
    assert.equal(short(classify('provision', answerOf(201, { dashboard_url: null, metadata: 7 }))), 'succeeded');
  });

  test('a 202 says by which name to ask, and when', () => {
    const response = answerOf(202, { operation: 'a b', dashboard_url: 'http://x' }, { 'retry-after': '7' });
    assert.deepEqual(classify('provision', response), {
      type: 'accepted',
      operation: 'a b',
      body: { operation: 'a b', dashboard_url: 'http://x' },
      retryAfterSeconds: 7,
    });
  });
});

describe('A change without an answer', () => {
  const failure = (code: string) => new ChandleryError(code, 'no answer', { details: { retryAfterSeconds: 3 } });
  const { BrokerUnreachable, BrokerBusy, BrokerTimeout, BrokerConnectionLost } = brokerFailureCodes;
  const table = [
    { code: BrokerTimeout, ...creations, status: 504 },
    { code: BrokerConnectionLost, ...creations, status: 502 },
    { code: BrokerUnreachable, ...all('failed'), status: 502 },
    { code: BrokerBusy, ...all('failed'), status: 503 },
  ];
  for (const row of table)
    for (const verb of changes)
      test(`${row.code} of ${verb} means ${row[verb]}`, () => {
        const outcome = classifyOutcome({ verb, brokerName: 'b', failure: failure(row.code) });
        assert.equal(short(outcome), row[verb]);
        assert.ok(outcome.type === 'failed' && outcome.error.facts.isRetryable === true);
        assert.equal(outcome.error.status, row.status);
        assert.equal(outcome.error.facts.retryAfterSeconds, 3);
      });

  for (const row of table)
    test(`${row.code} of a poll means to ask again`, () => {
      for (const verb of changes) {
        const outcome = classifyOutcome({ verb: `poll-${verb}`, brokerName: 'b', failure: failure(row.code) });
        assert.ok(outcome.type === 'in progress' && outcome.retryAfterSeconds === 3);
      }
    });
});

describe('The answer to a poll', () => {
  const goOn = all('in progress');
  const table: readonly Row[] = [
    { why: 'succeeded', response: answerOf(200, { state: 'succeeded' }), ...all('succeeded') },
    { why: 'in progress', response: answerOf(200, { state: 'in progress' }), ...goOn },
    { why: 'failed', response: answerOf(200, { state: 'failed' }), ...allButUpdate },
    { why: 'an unknown state', response: answerOf(200, { state: 'in_progress' }), ...goOn },
    { why: 'no state', response: answerOf(200), ...goOn },
    { why: 'garbage', response: answerOf(200, 'garbage'), ...goOn },
    { why: '202', response: answerOf(202), ...goOn },
    { why: '400', response: answerOf(400), ...allButUpdate },
    { why: '401', response: answerOf(401), ...goOn },
    { why: '404', response: answerOf(404), ...goOn, bind: 'failed!', unbind: 'failed!' },
    { why: '408', response: answerOf(408), ...goOn },
    { why: '410', response: answerOf(410, ''), ...goOn, deprovision: 'succeeded', unbind: 'succeeded' },
    { why: '422', response: answerOf(422, concurrency), ...goOn },
    { why: '429', response: answerOf(429), ...goOn },
    { why: '500', response: answerOf(500, 'oh'), ...goOn },
    { why: '503', response: answerOf(503), ...goOn },
  ];
  for (const row of table)
    for (const verb of changes)
      test(`${row.why} about ${verb} means ${row[verb]}`, () => {
        assert.equal(short(classify(`poll-${verb}`, row.response)), row[verb]);
      });

  test('it says when to ask again', () => {
    const outcome = classify('poll-provision', answerOf(200, { state: 'in progress' }, { 'retry-after': '30' }));
    assert.deepEqual(outcome, { type: 'in progress', retryAfterSeconds: 30 });
    const told = classify('poll-provision', answerOf(200, { state: 'in progress', description: 'x'.repeat(2000) }));
    assert.deepEqual(told, { type: 'in progress', description: 'x'.repeat(1000) });
  });
});

describe('What a broker says of an instance after a failure', () => {
  const said = { description: 'no', instance_usable: false, update_repeatable: false };
  const facts = (verb: OsbVerb, response: BrokerResponse) => {
    const outcome = classify(verb, response);
    assert.ok(outcome.type === 'failed');
    const { instanceUsable, updateRepeatable } = outcome.error.facts;
    return [instanceUsable, updateRepeatable];
  };
  const table = [
    { verb: 'update', facts: [false, false] },
    { verb: 'deprovision', facts: [false, undefined] },
    { verb: 'provision', facts: [undefined, undefined] },
    { verb: 'bind', facts: [undefined, undefined] },
  ] as const;
  for (const row of table)
    test(`of ${row.verb}`, () => {
      assert.deepEqual(facts(row.verb, answerOf(500, said)), row.facts);
      assert.deepEqual(facts(`poll-${row.verb}`, answerOf(200, { state: 'failed', ...said })), row.facts);
    });
});

test('a read succeeds, is rejected, or is retried', () => {
  assert.deepEqual(classify('read', answerOf(200, { a: 1 })), { type: 'succeeded', body: { a: 1 } });
  assert.equal(short(classify('read', answerOf(200, 'garbage'))), 'failed');
  assert.equal(short(classify('read', answerOf(404))), 'failed');
  assert.equal(short(classify('read', answerOf(500))), 'failed');
  assert.equal(short(classify('read', answerOf(422, concurrency))), 'retry');
});
