import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { entryPath, parentFolders } from './entry-path.ts';

describe('the path of an entry', () => {
  const accepted: readonly (readonly [name: string, path: string])[] = [
    ['index.html', 'index.html'],
    ['./a//b/./c.txt', 'a/b/c.txt'],
    ['a/', 'a'],
    ['./', ''],
    ['a..b/..c', 'a..b/..c'],
    ['ä b/ü.html', 'ä b/ü.html'],
  ];
  for (const [name, path] of accepted) test(`"${name}" is "${path}"`, () => assert.equal(entryPath(name), path));

  const rejected: readonly (readonly [name: string, why: RegExp])[] = [
    ['/etc/passwd', /absolute/],
    ['C:/windows', /absolute/],
    ['c:evil', /absolute/],
    ['../up', /parent/],
    ['a/../../up', /parent/],
    ['a/..', /parent/],
    ['a\\..\\b', /characters/],
    ['a\0b', /characters/],
    ['a\nb', /characters/],
    [`${'a/'.repeat(600)}b`, /longer/],
  ];
  for (const [name, why] of rejected)
    test(`${JSON.stringify(name.slice(0, 20))} is rejected`, () => assert.throws(() => entryPath(name), why));
});

test('the folders of a path are all that it is in', () => {
  assert.deepEqual(parentFolders('a/b/c.txt'), ['a', 'a/b']);
  assert.deepEqual(parentFolders('c.txt'), []);
});
