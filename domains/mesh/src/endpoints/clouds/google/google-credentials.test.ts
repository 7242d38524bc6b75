import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { tempFolder } from '@chandlery/testing';
import { googleScopes, googleTokenRequest } from './google-credentials.ts';
import { testKey } from './test-google-server.ts';

const ofServer = { scope: googleScopes.compute, secret: undefined, nowMs: Date.parse('2030-01-01T00:00:00Z') };

function claimsOf(body: string | undefined): Readonly<Record<string, unknown>> {
  const [, claims = ''] = (new URLSearchParams(body).get('assertion') ?? '').split('.');
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Readonly<Record<string, unknown>>;
}

test('a tenant asks with the key of its service account, for one scope and an hour, wherever the key points', async () => {
  const { url, body } = await googleTokenRequest({ ...ofServer, secret: testKey, env: {} });
  assert.equal(url.href, 'https://oauth2.googleapis.com/token');
  assert.deepEqual(claimsOf(body), {
    ...{ iss: 'mesh@shop-prod.iam.gserviceaccount.com', scope: googleScopes.compute },
    ...{ aud: 'https://oauth2.googleapis.com/token', iat: 1_893_456_000, exp: 1_893_459_600 },
  });
});

for (const { why, secret } of [
  { why: 'no key', secret: {} },
  { why: 'no JSON', secret: { 'key.json': '{' } },
  { why: 'credentials of a user', secret: { 'key.json': '{"type":"authorized_user","refresh_token":"x"}' } },
  { why: 'no private key', secret: { 'key.json': '{"client_email":"a","private_key":"no-key"}' } },
])
  test(`a tenant with ${why} does not get the key of the server`, async () => {
    await using folder = await tempFolder();
    const file = folder.join('key.json');
    await writeFile(file, testKey['key.json']);
    const env = { GOOGLE_APPLICATION_CREDENTIALS: file };
    await assert.rejects(googleTokenRequest({ ...ofServer, secret, env }), {
      code: 'CloudCredentialsInvalid',
      message: /^the Secret has no key/,
    });
  });

test('the server asks with the key that its environment names, or as its machine', async () => {
  await using folder = await tempFolder();
  const file = folder.join('key.json');
  await writeFile(file, testKey['key.json']);
  const { body } = await googleTokenRequest({ ...ofServer, env: { GOOGLE_APPLICATION_CREDENTIALS: file } });
  assert.equal(claimsOf(body)['iss'], 'mesh@shop-prod.iam.gserviceaccount.com');
  const { method, url, headers } = await googleTokenRequest({ ...ofServer, env: {} });
  assert.deepEqual([method, url.host, headers], ['GET', '169.254.169.254', { 'metadata-flavor': 'Google' }]);
  const env = { GOOGLE_APPLICATION_CREDENTIALS: folder.join('missing') };
  await assert.rejects(googleTokenRequest({ ...ofServer, env }), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'CloudCredentialsInvalid');
    assert.match(error.message, /^the server has no key/);
    assert.ok(!error.message.includes(folder.path));
    return true;
  });
});
