import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdtempDisposableSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openAdminToken } from './admin-token.ts';

const dataFolder = () => mkdtempDisposableSync(join(tmpdir(), 'chandlery-admin-'));

test('the token is made once, is private, and is found again', () => {
  using folder = dataFolder();
  const data = join(folder.path, 'data');
  const made = openAdminToken(data);
  assert.match(made.token, /^[\w-]{43}$/);
  assert.equal(statSync(made.path).mode & 0o777, 0o600);
  assert.equal(openAdminToken(data).token, made.token);
  assert.deepEqual(made.warnings, []);
});

test('the token is kept with the keys, so that replicas that share them share it', () => {
  using folder = dataFolder();
  const [first, second] = [join(folder.path, 'first'), join(folder.path, 'second')];
  const { token } = openAdminToken(first);
  cpSync(join(first, 'keys'), join(second, 'keys'), { recursive: true });
  assert.equal(openAdminToken(second).token, token);
  assert.equal(readFileSync(join(second, 'admin.token'), 'utf8'), `${token}\n`);
});

test('a token from before it was among the keys stays in force', () => {
  using folder = dataFolder();
  const old = 'o'.repeat(43);
  writeFileSync(join(folder.path, 'admin.token'), `${old}\n`, { mode: 0o600 });
  assert.equal(openAdminToken(folder.path).token, old);
  rmSync(join(folder.path, 'admin.token'));
  assert.equal(openAdminToken(folder.path).token, old);
});

test('only the very token matches', () => {
  using folder = dataFolder();
  const admin = openAdminToken(folder.path);
  const { token } = admin;
  assert.equal(admin.matches(token), true);
  for (const other of ['', token.slice(1), `${token} `, token.toLowerCase() + token])
    assert.equal(admin.matches(other), false);
});

test('a token that is readable by others is reported', () => {
  using folder = dataFolder();
  chmodSync(openAdminToken(folder.path).path, 0o644);
  assert.match(openAdminToken(folder.path).warnings[0] ?? '', /chmod 600/);
});

for (const [why, contents] of [
  ['an empty file', ''],
  ['a short token', 'letmein'],
  ['two words', `${'a'.repeat(32)} ${'b'.repeat(32)}`],
] as const) {
  test(`${why} is no admin token`, () => {
    using folder = dataFolder();
    writeFileSync(join(folder.path, 'admin.token'), contents);
    assert.throws(() => openAdminToken(folder.path), { code: 'AdminTokenInvalid' });
  });
}
