import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCertificateAuthority, issueCertificate } from '@chandlery/platform';
import { SmError } from '../../errors.ts';
import type { BrokerCredentials } from './broker-secret.ts';
import { credentialsOf, secretDataOf } from './broker-secret.ts';
import { checkBrokerCredentials } from './check-broker-credentials.ts';

const now = new Date();
const authority = createCertificateAuthority({ commonName: 'test', now });
const issue = () => issueCertificate(authority, { commonName: 'sm', usages: ['client'], now });
const [own, foreign] = [issue(), issue()];
const basic = { username: 'u', password: 'p' };
const pair = { clientCertificate: own.certificatePem, clientKey: own.privateKeyPem };

interface Case {
  readonly why: string;
  readonly credentials: BrokerCredentials;
  readonly spec?: { readonly internal?: string; readonly useServerCertificate?: boolean };
  readonly hasServerCertificate?: boolean;
}

const check = ({ credentials, spec = {}, hasServerCertificate = false }: Case) =>
  checkBrokerCredentials({ credentials, spec, hasServerCertificate });

describe('credentials are accepted:', () => {
  const cases: readonly Case[] = [
    { why: 'user name and password', credentials: basic },
    { why: 'a token', credentials: { token: 't' } },
    { why: 'a certificate and its key', credentials: pair },
    { why: 'basic and a certificate', credentials: { ...basic, ...pair } },
    { why: 'the own certificate', credentials: {}, spec: { useServerCertificate: true }, hasServerCertificate: true },
    { why: 'none for an internal broker', credentials: {}, spec: { internal: 'fleet' } },
  ];
  for (const accepted of cases) test(accepted.why, () => check(accepted));
});

describe('credentials are rejected:', () => {
  const cases: readonly Case[] = [
    { why: 'none', credentials: {} },
    { why: 'a user name without password', credentials: { username: 'u' } },
    { why: 'an empty password', credentials: { username: 'u', password: '' } },
    { why: 'basic and a token', credentials: { ...basic, token: 't' } },
    { why: 'a certificate without key', credentials: { clientCertificate: own.certificatePem } },
    { why: 'a key without certificate', credentials: { ...basic, clientKey: own.privateKeyPem } },
    { why: 'a key of another certificate', credentials: { ...pair, clientKey: foreign.privateKeyPem } },
    { why: 'a certificate that is none', credentials: { ...pair, clientCertificate: 'nonsense' } },
    {
      why: 'own certificate and the server’s',
      credentials: pair,
      spec: { useServerCertificate: true },
      hasServerCertificate: true,
    },
    { why: 'the own certificate when there is none', credentials: basic, spec: { useServerCertificate: true } },
  ];
  for (const rejected of cases) {
    test(rejected.why, () => {
      assert.throws(
        () => check(rejected),
        error => error instanceof SmError && error.code === 'BadRequest' && error.facts.field === 'credentials',
      );
    });
  }
});

test('credentials come back from their Secret as they went in', () => {
  const credentials = { username: 'u', password: 'p', token: 't', ...pair };
  assert.deepEqual(Object.keys(secretDataOf(credentials)), [
    'username',
    'password',
    'token',
    'client_certificate',
    'client_key',
  ]);
  assert.deepEqual(credentialsOf(secretDataOf(credentials)), credentials);
  assert.deepEqual(credentialsOf(undefined), {});
});
