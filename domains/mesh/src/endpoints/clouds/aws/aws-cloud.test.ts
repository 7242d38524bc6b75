import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAwsCloud } from './aws-cloud.ts';

const account = { aws: { accountId: '123456789012', regions: ['eu-central-1'] }, pollSeconds: 30 };
const good = { accessKeyId: 'AKIATEST', secretAccessKey: 'a+b/c=' };

const cases = [
  { why: 'the placeholder of the documentation', secret: { ...good, accessKeyId: 'AKIA…' }, entry: /accessKeyId/ },
  { why: 'a line break', secret: { ...good, secretAccessKey: 'a\n' }, entry: /secretAccessKey/ },
  { why: 'a session token of other letters', secret: { ...good, sessionToken: 'ä' }, entry: /sessionToken/ },
  { why: 'no secret key', secret: { accessKeyId: 'AKIATEST' }, entry: /no secretAccessKey/ },
];
for (const { why, secret, entry } of cases) {
  test(`a Secret with ${why} is not sent, and named`, async () => {
    await assert.rejects(async () => createAwsCloud({}).connect({ account, secret }), {
      code: 'CloudCredentialsInvalid',
      message: entry,
    });
  });
}

test('a session token may end with a line break, as files do', async () => {
  const reader = await createAwsCloud({}).connect({ account, secret: { ...good, sessionToken: 'abc\n' } });
  assert.ok(reader);
});
