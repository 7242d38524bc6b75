import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { canonicalIp } from './canonical-ip.ts';

const cases: readonly (readonly [text: string, expected: string | undefined, why: string])[] = [
  ['10.1.2.3', '10.1.2.3', 'IPv4 has one form'],
  ['010.1.2.3', undefined, 'a leading zero may mean octal'],
  ['10.1.2', undefined, 'a part is missing'],
  ['0.0.0.0', undefined, 'nobody is there'],
  ['::', undefined, 'nobody is there'],
  ['FD00:0:0:0:0:0:0:1', 'fd00::1', 'lower case, compressed'],
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1', 'the first of two equal runs'],
  ['::1', '::1', 'already so'],
  ['::ffff:10.0.0.1', '10.0.0.1', 'the same machine as by IPv4'],
  ['::FFFF:a00:1', '10.0.0.1', 'the same machine as by IPv4'],
  ['::ffff:0.0.0.0', undefined, 'nobody is there'],
  ['fe80::1%eth0', undefined, 'means something on one machine only'],
  ['web.example.com', undefined, 'a host name'],
  ['', undefined, 'nothing'],
];

describe('Canonical addresses', () => {
  for (const [text, expected, why] of cases)
    it(`"${text}" is ${expected ?? 'rejected'}: ${why}`, () => assert.equal(canonicalIp(text), expected));

  it('are addresses, and stay as they are', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), text => {
        const address = canonicalIp(text);
        if (address === undefined) return;
        assert.notEqual(isIP(address), 0);
        assert.equal(canonicalIp(address), address);
        assert.equal(canonicalIp(text.toUpperCase()), address);
      }),
    );
  });
});
