import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { type EncryptionKey, isEncrypted, Keyring } from './keyring.ts';

const newKey = (id: string): EncryptionKey => ({ id: id.repeat(16), key: randomBytes(32) });
const bytes = (text: string): Uint8Array => Buffer.from(text);

test('whatever is encrypted is decrypted in the same context', () => {
  const keyring = new Keyring([newKey('a')]);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), fc.string(), (plaintext, context) => {
      const ciphertext = keyring.encrypt(plaintext, context);
      assert.ok(isEncrypted(ciphertext));
      assert.deepEqual(Uint8Array.from(keyring.decrypt(ciphertext, context)), plaintext);
    }),
  );
});

test('no byte of a ciphertext can be changed unnoticed', () => {
  const keyring = new Keyring([newKey('a')]);
  const ciphertext = keyring.encrypt(bytes('secret'), 'here');
  for (let at = 0; at < ciphertext.length; at++) {
    const changed = Uint8Array.from(ciphertext);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => keyring.decrypt(changed, 'here'), {
      code: at >= 2 && at < 10 ? 'UnknownKey' : 'DecryptionFailed',
    });
  }
});

test('a ciphertext cannot be moved to another object, nor its key id to another key', () => {
  const [a, b] = [newKey('a'), newKey('b')];
  const keyring = new Keyring([a, b]);
  const ciphertext = keyring.encrypt(bytes('secret'), 'here');
  assert.throws(() => keyring.decrypt(ciphertext, 'there'), { code: 'DecryptionFailed' });
  const relabelled = Buffer.from(ciphertext);
  relabelled.write(b.id, 2, 'hex');
  assert.throws(() => keyring.decrypt(relabelled, 'here'), { code: 'DecryptionFailed' });
});

test('the same text never encrypts to the same bytes', () => {
  const keyring = new Keyring([newKey('a')]);
  const all = Array.from({ length: 1000 }, () => Buffer.from(keyring.encrypt(bytes('x'), 'c')).toString('hex'));
  assert.equal(new Set(all).size, 1000);
});

test('after a rotation old ciphertexts are readable and marked for rewriting', () => {
  const [old, fresh] = [newKey('a'), newKey('b')];
  const keyring = new Keyring([old]);
  const before = keyring.encrypt(bytes('x'), 'c');
  assert.equal(keyring.needsRotation(before), false);
  keyring.replace([fresh, old]);
  assert.equal(keyring.activeKeyId, fresh.id);
  assert.equal(Buffer.from(keyring.decrypt(before, 'c')).toString(), 'x');
  assert.equal(keyring.needsRotation(before), true);
  assert.equal(keyring.needsRotation(keyring.encrypt(bytes('x'), 'c')), false);
});

test('a key that no longer exists is named', () => {
  const ciphertext = new Keyring([newKey('a')]).encrypt(bytes('x'), 'c');
  assert.throws(() => new Keyring([newKey('b')]).decrypt(ciphertext, 'c'), {
    code: 'UnknownKey',
    message: /aaaaaaaaaaaaaaaa/,
  });
});

test('plain text is not mistaken for a ciphertext', () => {
  const keyring = new Keyring([newKey('a')]);
  for (const plain of ['', '{"kind":"Secret"}'.repeat(5)]) {
    assert.equal(isEncrypted(bytes(plain)), false);
    assert.equal(keyring.needsRotation(bytes(plain)), true);
    assert.throws(() => keyring.decrypt(bytes(plain), 'c'), { code: 'DecryptionFailed' });
  }
});

test('unusable keys are rejected', () => {
  const unusable: readonly (readonly EncryptionKey[])[] = [
    [],
    [{ id: 'short', key: randomBytes(32) }],
    [{ id: 'a'.repeat(16), key: randomBytes(16) }],
  ];
  for (const keys of unusable) assert.throws(() => new Keyring(keys), { code: 'InvalidKey' });
});
