import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { comparedPath, unusualPathRegex } from './compared-path.ts';

/** Observed with Envoy 1.40; undefined: it responds with 400. */
const cases: readonly (readonly [asked: string, compared: string | undefined])[] = [
  ['/books', '/books'],
  ['/%62ooks', '/books'],
  ['/books/..%2fadmin', undefined],
  ['/books/..%2Fadmin', undefined],
  ['/books%5c..%5cadmin', undefined],
  ['/books%5C..', undefined],
  [String.raw`/books\..\admin`, '/admin'],
  ['//books', '/books'],
  ['/x//../books', '/x/books'],
  ['/books/../admin', '/admin'],
  ['/books/%2e%2e/admin', '/admin'],
  ['/books/.%2E/admin', '/admin'],
  ['/books%252f', '/books%252f'],
  ['/books/a%20b', '/books/a%20b'],
  ['/books/%7euser', '/books/~user'],
  ['/books/%3b', '/books/%3b'],
  ['/books?x=%2f', '/books'],
  ['/books#a', undefined],
  ['/books/./a', '/books/a'],
  ['/books/..', '/'],
  ['/books/%zz', '/books/%zz'],
  ['/books/%00', undefined],
  ['/books/%c3%a9', '/books/%c3%a9'],
  ['/books/...', '/books/...'],
  ['/../books', '/books'],
  ['/x/..;/books', '/books'],
  ['/x/..;a=b/books', '/books'],
  ['/books/a;b/../c', '/books/c'],
  ['books', undefined],
];

describe('A path is compared with policies as Envoy compares it', () => {
  for (const [asked, expected] of cases)
    test(`${asked}: ${expected ?? 'rejected'}`, () => {
      const compared = comparedPath(asked);
      assert.equal('path' in compared ? compared.path : undefined, expected);
    });

  test('gRPC servers reject exactly the paths that would be rejected or normalized', () => {
    const isUnusual = (path: string): boolean => new RegExp(`^(?:${unusualPathRegex})$`).test(path);
    for (const path of ['/a/..%2fb', '/a%5Cb', '/a//b', '/a/../b', '/a/%2e%2e/b', '/a/..', '/.', String.raw`/a\b`])
      assert.ok(isUnusual(path), path);
    for (const path of ['/shop.Books/GetBook', '/a.b.C/..d', '/a%20b', '/']) assert.ok(!isUnusual(path), path);
  });
});
