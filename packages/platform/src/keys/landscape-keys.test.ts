import assert from 'node:assert/strict';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempDisposableSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { keyFileNames } from './key-set.ts';
import { importKeys, openLandscapeKeys } from './landscape-keys.ts';

const now = new Date('2030-01-01T00:00:00Z');
const template = mkdtempDisposableSync(join(tmpdir(), 'chandlery-keys-template-'));
process.on('exit', () => template.remove());
const original = openLandscapeKeys(join(template.path, 'keys'), { now });

/** A copy of one and the same key set. */
function copyOfKeys() {
  const temporary = mkdtempDisposableSync(join(tmpdir(), 'chandlery-keys-'));
  const folder = join(temporary.path, 'keys');
  cpSync(original.folder, folder, { recursive: true });
  return { folder, [Symbol.dispose]: () => temporary.remove() };
}

test('the first start makes all keys, private to their owner', () => {
  assert.equal(original.isNew, true);
  assert.deepEqual(original.warnings, []);
  assert.deepEqual(readdirSync(original.folder).sort(), [...keyFileNames].sort());
  assert.equal(statSync(original.folder).mode & 0o777, 0o700);
  for (const name of keyFileNames) assert.equal(statSync(join(original.folder, name)).mode & 0o777, 0o600);
});

test('later starts find the same keys again', () => {
  using copy = copyOfKeys();
  const again = openLandscapeKeys(copy.folder, { now });
  assert.equal(again.isNew, false);
  assert.equal(again.fingerprint, original.fingerprint);
  const ciphertext = original.keyring.encrypt(Buffer.from('x'), 'c');
  assert.equal(Buffer.from(again.keyring.decrypt(ciphertext, 'c')).toString(), 'x');
});

test('an empty keys folder, and what a crash left of a first start, do not stand in the way', () => {
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'chandlery-keys-'));
  mkdirSync(join(temporary.path, 'keys'));
  mkdirSync(join(temporary.path, 'keys.new'));
  writeFileSync(join(temporary.path, 'keys.new', 'ca.crt'), 'half');
  assert.equal(openLandscapeKeys(join(temporary.path, 'keys'), { now }).isNew, true);
  assert.deepEqual(readdirSync(temporary.path), ['keys']);
});

for (const name of keyFileNames) {
  test(`a set without ${name} is rejected rather than completed`, () => {
    using copy = copyOfKeys();
    rmSync(join(copy.folder, name));
    assert.throws(() => openLandscapeKeys(copy.folder, { now }), {
      code: 'KeysIncomplete',
      message: new RegExp(name),
      hint: /backup/,
    });
    assert.equal(readdirSync(copy.folder).length, keyFileNames.length - 1);
  });

  test(`a damaged ${name} is rejected by name`, () => {
    using copy = copyOfKeys();
    writeFileSync(join(copy.folder, name), 'damaged');
    assert.throws(() => openLandscapeKeys(copy.folder, { now }), { code: 'KeysCorrupted', message: new RegExp(name) });
  });
}

const corruptedLists: readonly { why: string; text: string }[] = [
  { why: 'no list', text: '{}' },
  { why: 'an empty list', text: '[]' },
  { why: 'an entry without a key', text: '[{"id":"aaaaaaaaaaaaaaaa"}]' },
  {
    why: 'a key that is too short',
    text: '[{"id":"aaaaaaaaaaaaaaaa","key":"AAAA","createdAt":"2030-01-01T00:00:00Z"}]',
  },
];
for (const { why, text } of corruptedLists) {
  test(`encryption keys with ${why} are rejected`, () => {
    using copy = copyOfKeys();
    writeFileSync(join(copy.folder, 'encryption.json'), text);
    assert.throws(() => openLandscapeKeys(copy.folder, { now }), {
      code: 'KeysCorrupted',
      message: /encryption\.json/,
    });
  });
}

test('the error about damaged keys does not show them', () => {
  using copy = copyOfKeys();
  writeFileSync(join(copy.folder, 'encryption.json'), 'topsecretkeymaterial');
  assert.throws(
    () => openLandscapeKeys(copy.folder, { now }),
    (error: Error) => !error.message.includes('topsecret'),
  );
});

test('keys that others may read are reported', () => {
  using copy = copyOfKeys();
  chmodSync(join(copy.folder, 'ca.key'), 0o640);
  const { warnings } = openLandscapeKeys(copy.folder, { now });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /ca\.key.*0640/);
});

test('an authority near its end is reported', () => {
  using copy = copyOfKeys();
  const { warnings } = openLandscapeKeys(copy.folder, { now: new Date('2039-12-01T00:00:00Z') });
  assert.match(warnings[0] ?? '', /certificate authority ends/);
});

test('rotation brings a new key, keeps the old one, and survives a restart', () => {
  using copy = copyOfKeys();
  const keys = openLandscapeKeys(copy.folder, { now });
  const before = keys.keyring.encrypt(Buffer.from('old'), 'c');
  const id = keys.rotateEncryptionKey(now);
  assert.equal(keys.keyring.activeKeyId, id);
  const after = keys.keyring.encrypt(Buffer.from('new'), 'c');

  const again = openLandscapeKeys(copy.folder, { now });
  assert.equal(again.keyring.activeKeyId, id);
  assert.equal(Buffer.from(again.keyring.decrypt(before, 'c')).toString(), 'old');
  assert.equal(Buffer.from(again.keyring.decrypt(after, 'c')).toString(), 'new');
  assert.equal(again.keyring.needsRotation(before), true);
  assert.equal(again.fingerprint, keys.fingerprint);
});

test('exported keys bring a landscape back to life elsewhere', () => {
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'chandlery-keys-'));
  using copy = copyOfKeys();
  const keys = openLandscapeKeys(copy.folder, { now });
  keys.rotateEncryptionKey(now);
  const folder = join(temporary.path, 'data', 'keys');
  importKeys(folder, keys.exportKeys());
  const restored = openLandscapeKeys(folder, { now });
  assert.equal(restored.fingerprint, keys.fingerprint);
  assert.equal(restored.keyring.activeKeyId, keys.keyring.activeKeyId);
  importKeys(folder, keys.exportKeys());
});

test('an import adds the encryption keys that a folder of the same landscape lacks', () => {
  using older = copyOfKeys();
  using newer = copyOfKeys();
  const keys = openLandscapeKeys(newer.folder, { now });
  keys.rotateEncryptionKey(now);
  importKeys(older.folder, keys.exportKeys());
  assert.deepEqual(openLandscapeKeys(older.folder, { now }).exportKeys(), keys.exportKeys());
  importKeys(newer.folder, original.exportKeys());
  assert.deepEqual(openLandscapeKeys(newer.folder, { now }).exportKeys(), keys.exportKeys());
});

test('an import never replaces the keys of another landscape, nor brings in damaged ones', () => {
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'chandlery-keys-'));
  const folder = join(temporary.path, 'keys');
  assert.throws(() => importKeys(folder, { ...original.exportKeys(), 'ca.key': 'damaged' }), { code: 'KeysCorrupted' });
  const other = openLandscapeKeys(folder, { now });
  assert.notEqual(other.fingerprint, original.fingerprint);
  assert.throws(() => importKeys(folder, original.exportKeys()), { code: 'KeysExist' });
});
