import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compareOperatorVersions,
  compareVersions,
  inVersionOrder,
  newestVersions,
  versionProblem,
} from './versions.ts';

const offer = (version: string, productVersions: string[], ready = true) => ({ version, ready, productVersions });

const orders = [
  { why: 'by number, not by text', compare: compareOperatorVersions, less: 'op.v0.9.0-0', more: 'op.v0.10.0-0' },
  { why: 'the build counts last', compare: compareOperatorVersions, less: '1.2.3-2', more: '1.2.3-10' },
  { why: 'the prefix does not count', compare: compareOperatorVersions, less: 'z.v1.0.0-1', more: 'a.v1.0.0-2' },
  { why: 'products by number', compare: compareVersions, less: '2.9.1', more: '2.10.0' },
  { why: 'fewer numbers first', compare: compareVersions, less: '2.9', more: '2.9.0' },
];

for (const { why, compare, less, more } of orders)
  test(`versions are compared ${why}`, () => {
    assert.ok(compare(less, more) < 0);
    assert.ok(compare(more, less) > 0);
    assert.equal(compare(less, less), 0);
  });

const newest = [
  {
    why: 'the newest ready one with its newest product',
    offered: [offer('1.9.0-1', ['3.0.0']), offer('1.10.0-0', ['2.9.0', '2.10.0']), offer('2.0.0-0', ['9.0.0'], false)],
    expected: { operator: '1.10.0-0', product: '2.10.0' },
  },
  {
    why: 'one without products is passed over',
    offered: [offer('1.0.0-0', ['1.0.0']), offer('2.0.0-0', [])],
    expected: { operator: '1.0.0-0', product: '1.0.0' },
  },
  { why: 'none is ready', offered: [offer('1.0.0-0', ['1.0.0'], false)], expected: undefined },
  { why: 'nothing was reported', offered: undefined, expected: undefined },
];

for (const { why, offered, expected } of newest)
  test(`versions of a new instance: ${why}`, () => assert.deepEqual(newestVersions(offered), expected));

test('offered versions are kept in ascending order', () => {
  const kept = inVersionOrder([offer('1.10.0-0', ['2.10.0', '2.9.0']), offer('1.9.0-0', ['1.0.0'])]);
  assert.deepEqual(kept, [offer('1.9.0-0', ['1.0.0']), offer('1.10.0-0', ['2.9.0', '2.10.0'])]);
});

const offered = [
  offer('1.0.0-0', ['1.0.0', '1.1.0', '1.1.3']),
  offer('2.0.0-0', ['2.0.0']),
  offer('3.0.0-0', ['3.0.0'], false),
];
const running = {
  desired: { operator: '1.0.0-0', product: '1.1.3' },
  actual: { operator: '1.0.0-0', product: '1.1.3' },
};
const changes = [
  { why: 'both are offered', status: running, wanted: { operator: '2.0.0-0', product: '2.0.0' }, problem: undefined },
  { why: 'the product alone', status: { desired: running.desired }, wanted: { product: '1.0.0' }, problem: undefined },
  { why: 'a patch level back', status: running, wanted: { product: '1.1.0' }, problem: undefined },
  {
    why: 'a minor version back',
    status: running,
    wanted: { product: '1.0.0' },
    problem: /older than the actual version 1\.1\.3/,
  },
  {
    why: 'the operator does not run the present product',
    status: running,
    wanted: { operator: '2.0.0-0' },
    problem: /1\.1\.3 is not offered by operator version 2/,
  },
  {
    why: 'the operator is not ready',
    status: running,
    wanted: { operator: '3.0.0-0', product: '3.0.0' },
    problem: /3\.0\.0-0 is not ready/,
  },
  {
    why: 'an upgrade is in progress',
    status: { ...running, upgrading: { product: true } },
    wanted: { product: '1.1.0' },
    problem: /product version cannot be changed while/,
  },
  {
    why: 'the same version during its upgrade',
    status: { ...running, upgrading: { product: true } },
    wanted: { product: '1.1.3' },
    problem: undefined,
  },
];

for (const { why, status, wanted, problem } of changes)
  test(`new desired versions: ${why}`, () => {
    const found = versionProblem(status, wanted, offered);
    if (problem === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', problem);
  });
