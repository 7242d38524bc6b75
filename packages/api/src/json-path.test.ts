import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isError } from './errors.ts';
import { compileJsonPath, getAtSimplePath, parseSimplePath, setAtSimplePath } from './json-path.ts';

const object = {
  metadata: { name: 'web', labels: { 'example.com/app': 'shop', plain: 'x' } },
  spec: { ports: [80, 443, 8080], on: true, limits: { cpu: 1, memory: 2 } },
  status: {
    conditions: [
      { type: 'Synced', status: 'False', count: 1 },
      { type: 'Ready', status: 'True', count: 5 },
    ],
  },
};

const paths: readonly (readonly [string, readonly unknown[]])[] = [
  ['.metadata.name', ['web']],
  ['$.metadata.name', ['web']],
  ["['metadata']['name']", ['web']],
  ['.metadata["name"]', ['web']],
  ['.metadata[name]', ['web']],
  [String.raw`.metadata.labels.example\.com/app`, ['shop']],
  [".metadata.labels['example.com/app']", ['shop']],
  [String.raw`.metadata.labels['example\.com/app']`, ['shop']],
  ['.spec.ports[0]', [80]],
  ['.spec.ports[-1]', [8080]],
  ['.spec.ports[9]', []],
  ['.spec.ports[*]', [80, 443, 8080]],
  ['.spec.ports[0,2]', [80, 8080]],
  ['.spec.ports[1:]', [443, 8080]],
  ['.spec.ports[:-1]', [80, 443]],
  ['.spec.ports[::2]', [80, 8080]],
  ['.spec.limits.*', [1, 2]],
  [".spec.limits['cpu','memory']", [1, 2]],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type == 'Ready')].status", ['True']],
  ['.status.conditions[?(@.type!="Ready")].status', ['False']],
  ['.status.conditions[?(@.count>=5)].type', ['Ready']],
  ['.status.conditions[?(@.count<5)].type', ['Synced']],
  ['.status.conditions[?(@.missing)].type', []],
  ['.status.conditions[?(@.count)].type', ['Synced', 'Ready']],
  ['.status.conditions[*].type', ['Synced', 'Ready']],
  ['..type', ['Synced', 'Ready']],
  ['.status..status', ['False', 'True']],
  ['.missing.deeper', []],
  ['.constructor', []],
  ['.metadata.name.length', []],
  ['.', [object]],
  ['$', [object]],
];

const broken = [
  '',
  'a',
  '.a[',
  '.a[]',
  '.a[0',
  ".a['b",
  '.a..',
  '.a.',
  '.a[?(@.b==)]',
  '.a[?(@.b',
  '.a b',
  '.a[1:2:0]',
  '.a{}',
  `.${'a'.repeat(2000)}`,
];

describe('A JSONPath', () => {
  for (const [path, expected] of paths) {
    it(`follows ${path}`, () => assert.deepEqual(compileJsonPath(path)(object), expected));
  }

  for (const path of broken) {
    it(`is rejected when written ${JSON.stringify(path.slice(0, 20))}`, () => {
      assert.throws(
        () => compileJsonPath(path),
        thrown => isError(thrown, 'BadRequest') && thrown.message.startsWith('invalid JSONPath "'),
      );
    });
  }

  it('runs over any data without throwing', () => {
    const compiled = paths.map(([path]) => compileJsonPath(path));
    fc.assert(fc.property(fc.jsonValue(), value => compiled.forEach(run => run(value))));
  });

  it('compiles or rejects any text', () => {
    const texts = fc.string({
      unit: fc.constantFrom('.', '[', ']', '*', 'a', '?(', ')', '@', '"', "'", '==', '1', ':', ','),
    });
    fc.assert(
      fc.property(texts, text => {
        try {
          compileJsonPath(text)({ a: [{ a: 1 }] });
        } catch (thrown) {
          assert.ok(isError(thrown, 'BadRequest'));
        }
      }),
    );
  });

  it('stops looking in time when a path would visit everything over and over', () => {
    const wide: unknown = JSON.parse(`[${'['.repeat(400)}${']'.repeat(400)}${',[1,2,3]'.repeat(1000)}]`);
    assert.ok(compileJsonPath('$..*..*..*..*')(wide).length <= 20_000);
  });
});

describe('A simple path', () => {
  it('reads and writes', () => {
    const target: Record<string, unknown> = { spec: { replicas: 1 } };
    setAtSimplePath(target, '.spec.replicas', 3);
    setAtSimplePath(target, '.status.count', 2);
    assert.deepEqual(target, { spec: { replicas: 3 }, status: { count: 2 } });
    assert.equal(getAtSimplePath(target, '.spec.replicas'), 3);
    assert.equal(getAtSimplePath(target, '.spec.none.deeper'), undefined);
  });

  it('does not write through a scalar', () => {
    assert.throws(() => setAtSimplePath({ spec: 1 }, '.spec.replicas', 3), /spec is not an object/);
  });

  for (const path of ['spec', '.', '.a[0]', ".a['b']", '.a.*', '..a', '.__proto__.x']) {
    it(`cannot be written ${path}`, () => assert.throws(() => parseSimplePath(path), /invalid JSONPath/));
  }
});
