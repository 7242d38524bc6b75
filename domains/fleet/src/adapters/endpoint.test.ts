import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { checkEndpoint } from './endpoint.ts';

const cases: readonly (readonly [url: string, isAccepted: boolean, why: string])[] = [
  ['https://login.example.com/auth', true, 'https'],
  ['http://127.0.0.1:8080', true, 'http on loopback'],
  ['http://[::1]:8080', true, 'http on loopback of IPv6'],
  ['http://localhost:8080', true, 'http on localhost'],
  ['http://login.example.com', false, 'http over the network'],
  ['http://127.0.0.1.example.com', false, 'a name that looks like loopback'],
  ['http://10.0.0.1', false, 'http to a private address'],
  ['ftp://127.0.0.1', false, 'another protocol'],
  ['https://user:secret@example.com', false, 'credentials inside'],
  ['nonsense', false, 'no address'],
];
for (const [url, isAccepted, why] of cases) {
  test(`an endpoint with ${why} is ${isAccepted ? 'accepted' : 'rejected'}`, () => {
    if (isAccepted) return void assert.equal(checkEndpoint(url, 'sso.base_url').protocol, new URL(url).protocol);
    assert.throws(
      () => checkEndpoint(url, 'sso.base_url'),
      error =>
        isError(error, 'TerminalError') && error.message.includes('sso.base_url') && !/secret/.test(error.message),
    );
  });
}
