import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopbackHost } from './loopback.ts';

for (const host of [
  'localhost',
  'LOCALHOST',
  'a.localhost',
  '127.0.0.1',
  '127.9.9.9',
  '::1',
  '[::1]',
  '::ffff:127.0.0.1',
])
  test(`${host} is this machine`, () => assert.equal(isLoopbackHost(host), true));

for (const host of ['0.0.0.0', '::', '10.0.0.1', 'localhost.example', 'example', '', '::ffff:10.0.0.1'])
  test(`"${host}" is not only this machine`, () => assert.equal(isLoopbackHost(host), false));
