import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { readBrokerSettings, settingNames } from './read-settings.ts';
import { defaultBrokerSettings } from './settings.ts';

test('what is given replaces single defaults', () => {
  const settings = readBrokerSettings({ pollingIntervalMs: 50, protectedLabels: ['tenant'] });
  assert.deepEqual(settings, { ...defaultBrokerSettings, pollingIntervalMs: 50, protectedLabels: ['tenant'] });
});

const rejected = [
  {
    why: 'an unknown key',
    given: { pollingInterval: 1 },
    message: /"pollingInterval" .* is not known; did you mean "pollingIntervalMs"\?/,
  },
  { why: 'another type', given: { pollingIntervalMs: '1s' }, message: /must be a number/ },
  { why: 'a text for a list', given: { protectedLabels: 'tenant' }, message: /must be a list/ },
  {
    why: 'an address range that is none',
    given: { allowedBrokerAddresses: ['10.0.0.0/33'] },
    message: /"allowedBrokerAddresses" .* neither .* "10.0.0.0\/33"/,
  },
  { why: 'a negative time', given: { pollingIntervalMs: -1 }, message: /must not be negative/ },
  { why: 'a key that is no text', given: { contextPrivateKey: 7 }, message: /must be a text/ },
  {
    why: 'the first line of a private key',
    given: { contextPrivateKey: '-----BEGIN PRIVATE KEY-----\n' },
    message: /"contextPrivateKey" .* must be a private key in PEM/,
  },
  {
    why: 'a public key that is none',
    given: { contextSuccessorPublicKey: 'none' },
    message: /"contextSuccessorPublicKey" .* must be a public key in PEM/,
  },
  {
    why: 'a certificate that is none',
    given: { clientCertificate: 'none' },
    message: /"clientCertificate" .* must be a certificate in PEM/,
  },
  { why: 'a client key that is none', given: { clientKey: 'none' }, message: /"clientKey" .* must be a private key/ },
];
for (const { why, given, message } of rejected) {
  test(`${why} is rejected`, () => {
    assert.throws(
      () => readBrokerSettings(given),
      error => isError(error, 'InvalidOption') && message.test(error.message),
    );
  });
}

test('docs/operating.md has a line for every setting', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/operating.md'), 'utf8');
  const missing = settingNames.filter(name => !text.includes(`| \`${name}\` |`));
  assert.deepEqual(missing, []);
});
