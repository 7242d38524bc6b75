import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setOrderStage, shell, text } from './support/order-stage.ts';
import { missing } from './support/stage.ts';

const stage = setOrderStage();

const batch = (script: string): Readonly<Record<string, unknown>> => ({
  controller: {
    $schema: 'urn:ivcap:schema:service.batch.1',
    image: 'python:3',
    command: ['sh', '-c', script],
  },
});

/** Takes its job, reports an event, and returns the request with a prefix. */
const worker = batch(
  [
    'set -e',
    'job=$(curl -fsS "$IVCAP_BASE_URL/next_job")',
    'id=$(echo "$job" | grep -o "urn:ivcap:job:[0-9a-f-]*")',
    'curl -fsS -X POST -H "Content-Type: application/json" -d "{\\"$schema\\":\\"urn:x\\",\\"step\\":1}" "$IVCAP_BASE_URL/events/$id"',
    'echo "$job" | grep -o "\\"in-content\\":.*" | curl -fsS -X POST -H "Content-Type: text/plain" --data-binary @- "$IVCAP_BASE_URL/results/$id" >/dev/null',
    'curl -fsS "$IVCAP_BASE_URL/next_job" | grep -o "service.batch.done"',
  ].join('\n'),
);

const events = (body: string): readonly Record<string, unknown>[] =>
  body
    .split('\n')
    .filter(line => line.startsWith('data: '))
    .map(line => JSON.parse(line.slice('data: '.length)) as Record<string, unknown>);

describe('a job', () => {
  test('returns its result within the timeout', async () => {
    const service = await stage.service(worker);
    const { headers, text: result } = await stage.expect(200, 'POST', `/1/services2/${service}/jobs`, {
      headers: { timeout: '60' },
      body: { question: 42 },
    });
    assert.equal(result.trim(), '"in-content":{"question":42}}');
    assert.match(headers.get('ivcap-job-id') ?? '', /^urn:ivcap:job:/);
    assert.match(headers.get('ivcap-order-id') ?? '', /^urn:ivcap:order:/);
    assert.equal(headers.get('content-type'), 'text/plain');
    const path = new URL(headers.get('ivcap-job-url') ?? '').pathname;
    const { body } = await stage.expect(200, 'GET', path);
    assert.equal(body.status, 'succeeded');
    assert.deepEqual(body['request-content'], { question: 42 });
    assert.equal(body['order'], headers.get('ivcap-order-id'));
    const bare = await stage.expect(200, 'GET', `${path}?with-request-content=false&with-result-content=false`);
    assert.deepEqual([bare.body['request-content'], bare.body['result-content']], [undefined, undefined]);
    assert.equal((await stage.expect(200, 'GET', `${path}/output`)).text.trim(), result.trim());
    assert.equal(await stage.log(body['order'] as string), 'service.batch.done\n');
    const list = await stage.expect(200, 'GET', `/1/services2/${service}/jobs`);
    assert.deepEqual(
      list.body.items.map(({ id }) => id),
      [body.id],
    );
    assert.equal((await stage.ask('GET', path, { token: stage.token('other/robot') })).status, 404);
    assert.equal((await stage.ask('GET', `/1/services2/${service}/jobs/${missing('job')}`)).status, 404);
  });

  test('is followed by server-sent events', async () => {
    const service = await stage.service(worker);
    const later = await stage.expect(202, 'POST', `/1/services2/${service}/jobs`, { body: {} });
    assert.deepEqual(Object.keys(later.body).sort(), ['job-id', 'location', 'retry-later']);
    const path = new URL(later.body['location'] as string).pathname;
    const { headers, text: stream } = await stage.expect(200, 'GET', `${path}/events`);
    assert.equal(headers.get('content-type'), 'text/event-stream');
    const all = events(stream);
    assert.deepEqual(
      all.map(({ SeqID }) => SeqID),
      all.map((_, at) => at + 1),
    );
    const statuses = all
      .filter(({ type }) => type === 'ivcap.job.status')
      .map(({ data }) => (data as { status: string }).status);
    assert.equal(statuses[0], 'pending');
    assert.equal(statuses.at(-1), 'succeeded');
    assert.ok(
      all.some(({ type, schema }) => type === 'ivcap.job.event' && schema === 'urn:x'),
      stream,
    );
    const rest = await stage.expect(200, 'GET', `${path}/events`, { headers: { 'last-event-id': '2' } });
    assert.equal(events(rest.text)[0]?.['SeqID'], 3);
    const one = await stage.expect(200, 'GET', `${path}/events?max-messages=1`);
    assert.equal(events(one.text).length, 1);
  });

  test('has nothing yet while it runs, and a clear end when it crashes', async () => {
    const service = await stage.service(batch('sleep 2; exit 4'));
    const started = Date.now();
    const later = await stage.expect(202, 'POST', `/1/services2/${service}/jobs`, {
      headers: { timeout: '0.5' },
      body: {},
    });
    assert.ok(Date.now() - started >= 500);
    const path = new URL(later.body['location'] as string).pathname;
    assert.equal((await stage.ask('GET', `${path}/output`)).status, 204);
    const order = later.headers.get('ivcap-order-id') ?? '';
    await stage.until(order, 'failed');
    const output = await stage.expect(500, 'GET', `${path}/output`);
    assert.match(output.body.message, /exit code 4/);
    const none = await stage.ask('GET', `${path}/events?max-wait-time=0.2`, { headers: { 'last-event-id': '99' } });
    assert.equal(none.status, 504);
  });

  test('that the service rejects answers 400 with what the service said', async () => {
    const script =
      'id=$(curl -fsS "$IVCAP_BASE_URL/next_job" | grep -o "urn:ivcap:job:[0-9a-f-]*"); curl -fsS -X POST -H "Is-Error: true" -H "Content-Type: application/json" -d "{\\"error\\":\\"no such city\\"}" "$IVCAP_BASE_URL/results/$id"';
    const service = await stage.service(batch(script));
    const { body } = await stage.expect(400, 'POST', `/1/services2/${service}/jobs`, {
      headers: { timeout: '60' },
      body: {},
    });
    assert.equal(body['error'], 'no such city');
  });

  test('gives fields of its request as parameters, and is checked by the schema of requests', async () => {
    const service = await stage.service({
      ...shell('printf "%s" "$2" > "$IVCAP_RESULT_PATH"'),
      parameters: [text('name')],
      'request-schema': { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    });
    const jobs = `/1/services2/${service}/jobs`;
    const { text: result } = await stage.expect(200, 'POST', jobs, {
      headers: { timeout: '60' },
      body: { name: 'Ada' },
    });
    assert.equal(result, 'Ada');
    assert.equal((await stage.expect(422, 'POST', jobs, { body: {} })).body.name, 'body');
    assert.equal((await stage.expect(422, 'POST', jobs, { body: { name: 7 } })).body.name, 'name');
    assert.equal((await stage.ask('POST', jobs, { headers: { timeout: 'soon' }, body: { name: 'x' } })).status, 400);
  });

  test('takes its request from an aspect', async () => {
    const service = await stage.service(worker);
    const aspect = await stage.expect(201, 'POST', '/1/aspects?entity=urn:x:1&schema=urn:x:s', {
      body: { from: 'aspect' },
    });
    const { text: result } = await stage.expect(200, 'POST', `/1/services2/${service}/jobs`, {
      headers: { timeout: '60' },
      body: { $schema: 'urn:ivcap:schema.job.input.1', 'request-aspect': aspect.body.id },
    });
    assert.match(result, /"from":"aspect"/);
  });
});
