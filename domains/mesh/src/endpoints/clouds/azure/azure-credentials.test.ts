import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { tempFolder } from '@chandlery/testing';
import { azureApis, azureTokenRequest } from './azure-credentials.ts';

const tenantId = '99999999-8888-7777-6666-555555555555';
const ofServer = { tenantId, api: azureApis.resources, secret: undefined };
const formOf = (body: string | undefined): object => Object.fromEntries(new URLSearchParams(body));
const common = {
  client_id: 'server',
  grant_type: 'client_credentials',
  scope: 'https://management.azure.com/.default',
};

test('a tenant logs in with its client secret, whatever the server has', async () => {
  const env = { AZURE_CLIENT_ID: 'server', AZURE_CLIENT_SECRET: 'of-the-server', AZURE_TENANT_ID: 'other' };
  const secret = { clientId: 'client', clientSecret: 'not-a-secret' };
  const { url, body } = await azureTokenRequest({ ...ofServer, secret, env });
  assert.equal(url.href, `https://login.microsoftonline.com/${tenantId}/oauth2/v2.0/token`);
  assert.deepEqual(formOf(body), { ...common, client_id: 'client', client_secret: 'not-a-secret' });
});

test('a tenant without a client secret does not get that of the server', async () => {
  const env = { AZURE_CLIENT_ID: 'server', AZURE_CLIENT_SECRET: 'of-the-server' };
  await assert.rejects(azureTokenRequest({ ...ofServer, secret: {}, env }), { code: 'CloudCredentialsInvalid' });
});

test('the server logs in with its client secret', async () => {
  const env = { AZURE_CLIENT_ID: 'server', AZURE_CLIENT_SECRET: 's', AZURE_TENANT_ID: 'home' };
  const { url, body } = await azureTokenRequest({ ...ofServer, env });
  assert.equal(url.pathname, '/home/oauth2/v2.0/token');
  assert.deepEqual(formOf(body), { ...common, client_secret: 's' });
});

test('the server logs in with its federated token, which is read each time', async () => {
  await using folder = await tempFolder();
  const file = folder.join('token');
  const env = { AZURE_CLIENT_ID: 'server', AZURE_FEDERATED_TOKEN_FILE: file };
  for (const token of ['first', 'second']) {
    await writeFile(file, `${token}\n`);
    const { body } = await azureTokenRequest({ ...ofServer, env });
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    assert.deepEqual(formOf(body), { ...common, client_assertion: token, client_assertion_type: type });
  }
  const missing = { ...env, AZURE_FEDERATED_TOKEN_FILE: folder.join('missing') };
  await assert.rejects(azureTokenRequest({ ...ofServer, env: missing }), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'CloudCredentialsInvalid');
    assert.ok(!error.message.includes(folder.path));
    return true;
  });
});

test('the server has the managed identity of its machine, or the one that it names', async () => {
  const only = await azureTokenRequest({ ...ofServer, env: {} });
  assert.equal(only.url.host, '169.254.169.254');
  assert.deepEqual(only.headers, { metadata: 'true' });
  assert.equal(only.url.searchParams.get('resource'), 'https://management.azure.com/');
  assert.equal(only.url.searchParams.get('client_id'), null);
  const { url } = await azureTokenRequest({ ...ofServer, env: { AZURE_CLIENT_ID: 'server' } });
  assert.equal(url.searchParams.get('client_id'), 'server');
});
