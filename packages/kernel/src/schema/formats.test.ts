import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textFormats } from './formats.ts';

const examples: Readonly<Record<string, readonly [good: readonly string[], bad: readonly string[]]>> = {
  bsonobjectid: [['507f1f77bcf86cd799439011'], ['507f', 'x']],
  byte: [
    ['', 'YQ==', 'YWJj'],
    ['YQ', 'a b=', '==='],
  ],
  cidr: [
    ['10.0.0.0/8', 'fd00::/8'],
    ['10.0.0.0', '10.0.0.0/33', 'a/8', '1.2.3.4/8/8'],
  ],
  creditcard: [['4111 1111 1111 1111'], ['4111 1111 1111 1112']],
  date: [['2024-02-29'], ['2023-02-29', '2024-2-1', '']],
  'date-time': [
    ['2024-02-29T01:02:03Z', '2024-02-29T01:02:03.5+02:00'],
    ['2024-02-29', 'now'],
  ],
  duration: [
    ['1h30m', '300ms', '0', '-1.5h', '3 days', '2w'],
    ['', 'h', '1', '1x'],
  ],
  email: [
    ['a@b.example', 'a.b+c@d'],
    ['a', '@b', 'a@', 'a b@c', 'a@b@c'],
  ],
  hostname: [
    ['a', 'a.b-c.example'],
    ['', '-a', 'a..b', 'a b'],
  ],
  ipv4: [['1.2.3.4'], ['1.2.3', '::1']],
  ipv6: [
    ['::1', 'fd00::1'],
    ['1.2.3.4', ':'],
  ],
  isbn10: [['0-306-40615-2'], ['0-306-40615-3']],
  isbn13: [['978-0-306-40615-7'], ['978-0-306-40615-8']],
  mac: [
    ['01:23:45:67:89:ab', '01-23-45-67-89-AB'],
    ['01:23:45:67:89', '01:23-45:67:89:ab'],
  ],
  quantity: [
    ['1', '100m', '1.5Gi'],
    ['much', '1 Gi', ''],
  ],
  uri: [
    ['https://a.example/b?c', 'urn:x:y', '/path'],
    ['a b', 'relative'],
  ],
  uuid: [
    ['123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000'],
    ['123e4567', ''],
  ],
  uuid4: [['123e4567-e89b-42d3-a456-426614174000'], ['123e4567-e89b-12d3-a456-426614174000']],
  hexcolor: [
    ['#fff', '00ff00'],
    ['#ffff', 'red'],
  ],
};

describe('Formats', () => {
  for (const [format, [good, bad]] of Object.entries(examples)) {
    const hasFormat = textFormats.get(format) ?? (() => assert.fail('unknown format'));
    for (const text of good)
      it(`take ${JSON.stringify(text)} for ${format}`, () => assert.equal(hasFormat(text), true));
    for (const text of bad)
      it(`reject ${JSON.stringify(text)} for ${format}`, () => assert.equal(hasFormat(text), false));
  }
});
