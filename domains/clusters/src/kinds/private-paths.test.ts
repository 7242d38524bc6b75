import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type DeclaredPath,
  isolationAnnotation,
  privatePaths,
  privatePathsAnnotation,
  readPrivatePaths,
} from './private-paths.ts';

const folder = '/data/node-1';
const file = (path: string): DeclaredPath => ({ path, kind: 'file' });
const directory = (path: string): DeclaredPath => ({ path, kind: 'directory' });

describe('private paths', () => {
  test('have places of their own that depend on nothing but the path', () => {
    const one = privatePaths({ folder, paths: [file('/tmp/a'), file('/tmp/b')] });
    const other = privatePaths({ folder, paths: [file('/tmp/b'), directory('/c')] });
    assert.equal(one.hostPathOf('/tmp/b'), other.hostPathOf('/tmp/b'));
    assert.notEqual(one.hostPathOf('/tmp/a'), one.hostPathOf('/tmp/b'));
    assert.match(one.hostPathOf('/tmp/a') ?? '', /^\/data\/node-1\/[a-z2-7]{8}\/a$/);
  });

  const cases = [
    { why: 'not declared', path: '/tmp/other', expected: undefined },
    { why: 'only begins like a declared one', path: '/out-of-reach', expected: undefined },
    { why: 'in a declared directory', path: '/out/x/y', expected: '/volumes/out/x/y' },
    { why: 'declared, in a declared directory', path: '/out/file', expected: '/volumes/out/file' },
    { why: 'written in another way', path: '/out/../out//file', expected: '/volumes/out/file' },
    { why: 'in the inner of two directories', path: '/out/inner/x', expected: '/volumes/inner/x' },
  ];
  for (const { why, path, expected } of cases) {
    test(`are found for a path that is ${why}`, () => {
      const outer = { ...directory('/out/'), hostPath: '/volumes/out' };
      const inner = { ...directory('/out/inner'), hostPath: '/volumes/inner' };
      assert.equal(privatePaths({ folder, paths: [outer, inner, file('/out/file')] }).hostPathOf(path), expected);
    });
  }

  test('are in a folder of the pod alone', () => {
    const paths = privatePaths({ folder, paths: [file('/tmp/a'), { ...directory('/out'), hostPath: '/volumes/out' }] });
    assert.equal(paths.folderOf('/out/x'), '/volumes/out');
    assert.match(paths.folderOf('/tmp/a') ?? '', /^\/data\/node-1\/[a-z2-7]{8}$/);
    assert.equal(paths.folderOf('/tmp'), undefined);
  });

  test('are read from the annotations as they were written', () => {
    const paths = privatePaths({
      folder,
      paths: [{ ...file('/s'), isScript: true, container: 'main' }, directory('/d')],
    });
    assert.deepEqual(readPrivatePaths(paths.annotations), paths.entries);
    assert.deepEqual(readPrivatePaths({ [isolationAnnotation]: 'namespaces' }), []);
    assert.equal(readPrivatePaths({}), undefined);
  });

  test('must be absolute, and not the root', () => {
    for (const path of ['', 'relative', '/', '/a/..', '/a\0b']) {
      assert.throws(() => privatePaths({ folder, paths: [file(path)] }), { code: 'InvalidPrivatePath' }, path);
    }
    const broken = ['{', '{}', '[{}]', '[{"path":"/a","kind":"file","hostPath":"relative"}]'];
    for (const text of broken) {
      const annotations = { [isolationAnnotation]: 'namespaces', [privatePathsAnnotation]: text };
      assert.throws(() => readPrivatePaths(annotations), { code: 'InvalidPrivatePath' }, text);
    }
  });
});
