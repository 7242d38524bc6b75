import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { test } from 'node:test';
import { createSigningRequest } from './certificate-signing-request.ts';

const openssl = (der: Buffer, ...args: string[]): string =>
  execFileSync('openssl', ['req', '-inform', 'DER', '-noout', ...args], {
    input: der,
    encoding: 'utf8',
    stdio: 'pipe',
  });

test('OpenSSL verifies a request and reads its names', () => {
  const { der, privateKeyPem } = createSigningRequest({ dnsNames: ['a.example.com', '*.a.example.com'] });
  const text = openssl(der, '-verify', '-text');
  assert.match(text, /DNS:a\.example\.com, DNS:\*\.a\.example\.com/);
  const publicKey = createPublicKey(createPrivateKey(privateKeyPem)).export({ type: 'spki', format: 'pem' });
  assert.equal(openssl(der, '-pubkey').trim(), publicKey.toString().trim());
});

test('a request without names asks for no extension', () => {
  assert.doesNotMatch(openssl(createSigningRequest().der, '-verify', '-text'), /Subject Alternative Name/);
});
