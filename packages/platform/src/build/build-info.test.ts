import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { readBuildInfo } from './build-info.ts';

test('a clone states its commit and when that was made', () => {
  const { version, commit, date, isRelease } = readBuildInfo();
  assert.match(version, /^\d+\.\d+\.\d+/);
  assert.equal(isRelease, false);
  const head = execFileSync('git', ['log', '-1', '--format=%H %ct'], { cwd: import.meta.dirname, encoding: 'utf8' });
  const [hash, seconds] = head.trim().split(' ');
  assert.equal(commit, hash);
  assert.equal(Date.parse(date), Number(seconds) * 1000);
});
