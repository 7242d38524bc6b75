import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEventHttp } from '../event-message.ts';
import { startTestHttpServer, type TestRequest, type TestResponse } from '../test-http-server.ts';
import { createRequestSigner } from './sign-aws.ts';
import { SqsEvents } from './sqs-events.ts';

const accountId = '123456789012';
const arn = `arn:aws:sqs:eu-central-1:${accountId}:machines`;
const { signal } = new AbortController();

async function start(respond: (request: TestRequest) => TestResponse) {
  const server = await startTestHttpServer(respond);
  const sign = createRequestSigner(async () => ({ accessKeyId: 'AKIATEST', secretAccessKey: 'not-a-secret' }));
  const scope = { accountId, regions: ['eu-central-1'], call: createEventHttp('AWS', {}), sign };
  return {
    events: new SqsEvents({ ...scope, arn, endpoint: server.url }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test('requests wait for messages of the named queue, and are signed for its region', async () => {
  const requests: TestRequest[] = [];
  await using sqs = await start(request => {
    requests.push(request);
    return { body: {} };
  });
  assert.deepEqual(await sqs.events.receive(10, signal), []);
  const [request] = requests;
  assert.ok(request !== undefined && request.url.pathname === '/');
  const { headers, body } = request;
  assert.equal(headers['x-amz-target'], 'AmazonSQS.ReceiveMessage');
  assert.match(headers.authorization ?? '', /Credential=AKIATEST\/\d{8}\/eu-central-1\/sqs\/aws4_request/);
  assert.deepEqual(JSON.parse(body), {
    QueueUrl: `https://sqs.eu-central-1.amazonaws.com/${accountId}/machines`,
    MaxNumberOfMessages: 10,
    WaitTimeSeconds: 20,
  });
});

const faults: readonly (readonly [type: string, status: number, code: string])[] = [
  ['com.amazonaws.sqs#QueueDoesNotExist', 400, 'CloudQueueMissing'],
  ['com.amazon.coral.service#AccessDeniedException', 400, 'CloudDenied'],
  ['com.amazon.coral.service#InvalidSignatureException', 403, 'CloudDenied'],
  ['com.amazon.coral.service#ExpiredTokenException', 403, 'CloudDenied'],
  ['com.amazonaws.sqs#RequestThrottled', 403, 'CloudThrottled'],
  ['InternalFailure', 500, 'CloudUnreachable'],
];

for (const [type, status, code] of faults)
  test(`the fault ${type} is ${code}, and does not quote the request`, async () => {
    await using sqs = await start(() => ({ status, body: { __type: type, message: 'no' } }));
    await assert.rejects(sqs.events.receive(1, signal), (error: Error & { code?: string }) => {
      assert.equal(error.code, code);
      assert.doesNotMatch(error.message, /AKIATEST/);
      return true;
    });
  });

test('a response that is no JSON, and a list that is none, have no messages', async () => {
  for (const body of ['text', { Messages: 'many' }, { Messages: [null, 'x'] }]) {
    await using sqs = await start(() => ({ body }));
    assert.deepEqual(await sqs.events.receive(1, signal), []);
  }
});
