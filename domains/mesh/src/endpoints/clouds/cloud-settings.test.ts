import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAllowed, readCloudSettings } from './cloud-settings.ts';

test('the operator names accounts by cluster, and test servers by cloud', () => {
  const identities = { awsIdentityCertificates: {}, azureIdentityAuthorities: [] };
  const none = { serverCredentials: {}, testEndpoints: {}, ...identities };
  assert.deepEqual(readCloudSettings({}), none);
  const serverCredentials = { onboarding: ['aws:123456789012', 'google:shop-prod'] };
  const settings = readCloudSettings({ serverCredentials, testEndpoints: { aws: 'http://127.0.0.1:5000' } });
  assert.deepEqual(settings, { ...none, serverCredentials, testEndpoints: { aws: 'http://127.0.0.1:5000/' } });
});

test('the leave for a namespace is not one for others of its cluster', () => {
  const settings = readCloudSettings({
    serverCredentials: {
      shops: ['aws:123456789012'],
      'onboarding/shop': ['google:shop-prod', 'google:shop-prod/machines'],
    },
  });
  const allowed = (cluster: string, namespace: string, id: string) => isAllowed(settings, { cluster, namespace, id });
  assert.equal(allowed('shops', 'any', 'aws:123456789012'), true);
  assert.equal(allowed('onboarding', 'shop', 'google:shop-prod'), true);
  assert.equal(allowed('onboarding', 'shop', 'google:shop-prod/machines'), true);
  assert.equal(allowed('onboarding', 'other', 'google:shop-prod'), false);
  assert.equal(allowed('onboarding', 'shop', 'google:shop-test'), false);
  assert.equal(allowed('constructor', 'shop', 'google:shop-prod'), false);
});

const invalid: readonly { given: Record<string, unknown>; message: RegExp }[] = [
  { given: { endpoints: {} }, message: /"clouds\.endpoints" is not known/ },
  { given: { serverCredentials: { onboarding: ['ibm:1'] } }, message: /serverCredentials\.onboarding/ },
  { given: { serverCredentials: { onboarding: 'aws:1' } }, message: /must be a list/ },
  { given: { awsIdentityCertificates: { 'eu-central-1': 'x' } }, message: /must be a certificate in PEM/ },
  { given: { azureIdentityAuthorities: ['x'] }, message: /must be a list of certificates/ },
  { given: { testEndpoints: { ibm: 'https://x' } }, message: /is not a cloud/ },
  { given: { testEndpoints: { aws: 'http://moto.example.com' } }, message: /is not an address of a test server/ },
  { given: { testEndpoints: { aws: 'https://user:secret@moto' } }, message: /is not an address of a test server/ },
];

test('settings that mean nothing, or would send credentials in the clear, are rejected', () => {
  for (const { given, message } of invalid)
    assert.throws(() => readCloudSettings(given), { code: 'InvalidOption', message }, JSON.stringify(given));
});
