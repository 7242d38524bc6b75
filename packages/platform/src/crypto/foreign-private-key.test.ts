import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { sequence, unsignedInteger } from '../pki/der.ts';
import { readForeignPrivateKey } from './foreign-private-key.ts';

const pemOf = (key: { export(options: { type: 'pkcs8'; format: 'pem' }): string | Buffer }): string =>
  key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Looks like a key of RSA; to make a real one of this size takes hours. */
function largeRsaKey(bits: number): string {
  const number = (size: number): Buffer => unsignedInteger(Buffer.concat([Buffer.from([0xc1]), randomBytes(size - 1)]));
  const [whole, half] = [bits / 8, bits / 16];
  const der = sequence(
    unsignedInteger(Buffer.from([0])),
    number(whole),
    unsignedInteger(Buffer.from([1, 0, 1])),
    ...[whole, half, half, half, half, half].map(number),
  );
  return `-----BEGIN RSA PRIVATE KEY-----\n${der.toString('base64')}\n-----END RSA PRIVATE KEY-----\n`;
}

test('usual keys are read', () => {
  for (const { privateKey } of [
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    generateKeyPairSync('ed25519'),
  ])
    assert.equal(readForeignPrivateKey(pemOf(privateKey)).asymmetricKeyType, privateKey.asymmetricKeyType);
});

for (const { why, pem } of [
  { why: 'more bits than can be signed with in a moment', pem: largeRsaKey(65_536) },
  { why: 'another type', pem: pemOf(generateKeyPairSync('x25519').privateKey) },
  {
    why: 'a password',
    pem: generateKeyPairSync('ed25519').privateKey.export({
      ...{ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' },
    }),
  },
  { why: 'no key', pem: 'secret' },
])
  test(`a key is rejected without quoting it: ${why}`, () =>
    assert.throws(
      () => readForeignPrivateKey(pem),
      (error: Error & { code?: string }) => error.code === 'InvalidPrivateKey' && !error.message.includes('secret'),
    ));
