import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Column, KubeObject } from '@chandlery/api';
import { compileCell } from './cell.ts';
import { toPartialMetadata, toPartialMetadataList } from './partial-metadata.ts';
import { parseIncludeObject, renderTable } from './table.ts';

const now = new Date('2026-03-01T12:00:00Z');
const widget: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w1', namespace: 'default', resourceVersion: '7', creationTimestamp: '2026-03-01T11:55:00Z' },
  spec: {
    size: 3.7,
    title: 'big',
    isOn: true,
    nothing: null,
    tags: ['a', 'b'],
    box: { z: 1, a: 2 },
    parts: [{ name: 'x' }, { name: 'y' }],
    broken: 'yesterday',
  },
};
const version = {
  columns: [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
    { name: 'Title', type: 'string', description: 'What it is called.', priority: 1, jsonPath: '.spec.title' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ] satisfies Column[],
};

describe('cells', () => {
  const cases: readonly [why: string, column: Partial<Column>, expected: unknown][] = [
    ['a string', { type: 'string', jsonPath: '.spec.title' }, 'big'],
    ['a number in a string column', { type: 'string', jsonPath: '.spec.size' }, '3.7'],
    ['a boolean in a string column', { type: 'string', jsonPath: '.spec.isOn' }, 'true'],
    ['a list in a string column', { type: 'string', jsonPath: '.spec.tags' }, '["a","b"]'],
    ['a map in a string column, sorted', { type: 'string', jsonPath: '.spec.box' }, '{"a":2,"z":1}'],
    ['the first of several', { type: 'string', jsonPath: '.spec.parts[*].name' }, 'x'],
    ['a missing field', { type: 'string', jsonPath: '.spec.absent.deep' }, null],
    ['null', { type: 'string', jsonPath: '.spec.nothing' }, null],
    ['an integer is cut', { type: 'integer', jsonPath: '.spec.size' }, 3],
    ['a number is not', { type: 'number', jsonPath: '.spec.size' }, 3.7],
    ['text in an integer column', { type: 'integer', jsonPath: '.spec.title' }, null],
    ['a boolean', { type: 'boolean', jsonPath: '.spec.isOn' }, true],
    ['text in a boolean column', { type: 'boolean', jsonPath: '.spec.title' }, null],
    ['a date is an age', { type: 'date', jsonPath: '.metadata.creationTimestamp' }, '5m'],
    ['a missing date', { type: 'date', jsonPath: '.spec.absent' }, null],
    ['a date that is none', { type: 'date', jsonPath: '.spec.broken' }, '<invalid>'],
    ['no path at all', { type: 'string' }, null],
    ['a path that cannot be parsed', { type: 'string', jsonPath: '.spec[' }, null],
    ['a computed cell', { type: 'string', cell: object => `${object.metadata.name}!` }, 'w1!'],
    ['a computed cell without value', { type: 'string', cell: () => undefined }, '<none>'],
    ['a computed number without value', { type: 'integer', cell: () => undefined }, null],
    ['a computed date', { type: 'date', cell: object => object.metadata.creationTimestamp }, '5m'],
    ['a computed date without value', { type: 'date', cell: () => undefined }, '<unknown>'],
  ];
  test('of a row cost no more than a bound, however many columns there are', () => {
    const count = 20_000;
    const large = {
      ...widget,
      spec: { items: Array.from({ length: 90_000 }, (_, at) => at), text: 'x'.repeat(100_000) },
    };
    const paths = ['..nothing', '.spec.items[0:90000:90000]', '.spec.text', '.spec', '.spec.items[?(@.a==1)]'];
    const columns = Array.from({ length: count }, (_, at): Column => {
      const jsonPath = paths[at % paths.length] ?? '';
      return { name: `C${at}`, type: 'string', jsonPath };
    });
    const [row] = renderTable({ version: { columns }, items: [large], includeObject: 'None', now }).rows;
    assert.equal(row?.cells.length, count + 1);
    assert.ok(JSON.stringify(row).length < 1_000_000);
  });

  for (const [why, column, expected] of cases) {
    test(`${why}`, () =>
      assert.deepEqual(compileCell({ name: 'X', type: 'string', ...column })(widget, now), expected));
  }
});

test("a table has definitions, rows and the list's metadata", () => {
  const listMeta = { resourceVersion: '9', continue: 'abc', remainingItemCount: 4 };
  const table = renderTable({ version, items: [widget], listMeta, includeObject: 'Metadata', now });
  assert.deepEqual(table.metadata, listMeta);
  assert.equal(table.apiVersion, 'meta.k8s.io/v1');
  assert.deepEqual(
    table.columnDefinitions.map(({ name, type, format, priority }) => [name, type, format, priority]),
    [
      ['Name', 'string', 'name', 0],
      ['Size', 'integer', '', 0],
      ['Title', 'string', '', 1],
      ['Age', 'date', '', 0],
    ],
  );
  assert.equal(table.columnDefinitions[2]?.description, 'What it is called.');
  assert.deepEqual(table.rows[0]?.cells, ['w1', 3, 'big', '5m']);
  assert.deepEqual(table.rows[0]?.object, toPartialMetadata(widget));
});

test('a row carries as much of the object as was asked for', () => {
  const rowWith = (includeObject: 'None' | 'Object') =>
    renderTable({ version, items: [widget], includeObject, now }).rows[0];
  assert.equal(rowWith('Object')?.object, widget);
  assert.equal('object' in (rowWith('None') ?? {}), false);
});

test("the table of a single object has the object's version", () => {
  const table = renderTable({ version, items: [widget], includeObject: 'None', now });
  assert.deepEqual(table.metadata, { resourceVersion: '7' });
});

test('later watch events leave the definitions out', () => {
  const table = renderTable({ version, items: [widget], includeObject: 'None', now, withDefinitions: false });
  assert.deepEqual(table.columnDefinitions, []);
});

test('an empty list is a table without rows', () => {
  const table = renderTable({ version, items: [], listMeta: { resourceVersion: '1' }, includeObject: 'Metadata', now });
  assert.deepEqual(table.rows, []);
});

test('metadata alone comes in the requested version, singly and as a list', () => {
  assert.deepEqual(toPartialMetadata(widget, 'v1beta1'), {
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1beta1',
    metadata: widget.metadata,
  });
  const list = toPartialMetadataList([widget], { resourceVersion: '9' });
  assert.equal(list.kind, 'PartialObjectMetadataList');
  assert.deepEqual(list.items, [toPartialMetadata(widget)]);
});

test('includeObject is one of three words', () => {
  assert.deepEqual([undefined, '', 'None', 'Metadata', 'Object', 'none'].map(parseIncludeObject), [
    'Metadata',
    'Metadata',
    'None',
    'Metadata',
    'Object',
    undefined,
  ]);
});
