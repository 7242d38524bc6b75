import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { parseFlags } from './args/flags.ts';
import { newCluster } from './clusters/create-command.ts';
import { serverOfCluster } from './landscape/connect.ts';
import { kubeconfigFor } from './landscape/kubeconfig-command.ts';
import { parseChecks } from './landscape/landscape-status.ts';
import { formatTable, writeTable } from './output/table.ts';
import { planFailed } from './providers/plan-command.ts';

test('a table is aligned, with nothing after the last cell', () => {
  const text = formatTable(
    ['name', 'age'],
    [
      ['a', '1s'],
      ['long-name', ''],
      ['b', '10d'],
    ],
  );
  assert.equal(text, 'NAME        AGE\na           1s\nlong-name   <none>\nb           10d\n');
});

test('a list without rows says so beside the output, in words', () => {
  for (const [noun, told] of [
    ['service broker', 'No service brokers found.\n'],
    ['visibility', 'No visibilities found.\n'],
  ] as const) {
    let [out, err] = ['', ''];
    const [stdout, stderr] = [
      { write: (text: string) => void (out += text) },
      { write: (text: string) => void (err += text) },
    ];
    writeTable({ stdout, stderr, env: {} }, { headings: ['name'], rows: [], noun });
    assert.deepEqual([out, err], ['', told]);
  }
});

test("why a plan failed is the last sentence of the provider's program, else all that it said", () => {
  const sentence = '{"level":"warn"}\nError: databases "x" not found.\n';
  assert.equal(planFailed(sentence).message, 'databases "x" not found');
  assert.match(planFailed(sentence).hint ?? '', /-n/);
  assert.equal(planFailed('boom\n').message, 'boom');
  assert.match(planFailed('').message, /without a word/);
  const fault = `TypeError: kaboom\n    at desired (provider.ts:4:2)\nError: kaboom (desired, provider.ts:4).\n`;
  assert.equal(planFailed(fault).message, 'kaboom (desired, provider.ts:4)');
  assert.match(planFailed(fault).hint ?? '', /programming error/);
});

test('the checks of /readyz are read with their reasons', () => {
  const text = '[+]store-sqlite ok\n[-]shutdown failed: it ends: soon\n[-]x failed\nreadyz check failed\n';
  assert.deepEqual(parseChecks(text), [
    { name: 'store-sqlite', isOk: true, reason: '' },
    { name: 'shutdown', isOk: false, reason: 'it ends: soon' },
    { name: 'x', isOk: false, reason: '' },
  ]);
});

test('flags may stand anywhere, and the words after -- are arguments', () => {
  const table = { name: { type: 'text', short: 'n', about: '' }, wait: { type: 'switch', about: '' } } as const;
  const { positionals, flags } = parseFlags(['a', '-nx', '--wait=false', 'b', '--name=y', '--', '--name'], table);
  assert.deepEqual(positionals, ['a', 'b', '--name']);
  assert.deepEqual(flags.texts('name'), ['x', 'y']);
  assert.equal(flags.text('name'), 'y');
  assert.equal(flags.isOn('wait', true), false);
});

test('the admins of a new logical cluster are users and groups', () => {
  const table = { 'admin-user': { type: 'text', about: '' }, 'admin-group': { type: 'text', about: '' } } as const;
  const { flags } = parseFlags(['--admin-user=a', '--admin-group=g', '--admin-user=b'], table);
  assert.deepEqual(newCluster('x', flags).spec?.admins, [
    { kind: 'User', name: 'a' },
    { kind: 'User', name: 'b' },
    { kind: 'Group', name: 'g' },
  ]);
});

describe('the server of a logical cluster', () => {
  const cases: readonly [from: string, to: string][] = [
    ['https://h:1/clusters/onboarding', 'https://h:1/clusters/platform'],
    ['https://h:1/clusters/onboarding/', 'https://h:1/clusters/platform'],
    ['https://h:1', 'https://h:1/clusters/platform'],
    ['https://h/behind/proxy/clusters/a', 'https://h/behind/proxy/clusters/platform'],
  ];
  for (const [from, to] of cases)
    test(`of ${from} is ${to}`, () => assert.equal(serverOfCluster(from, 'platform'), to));
});

describe('a kubeconfig for one logical cluster', () => {
  const file = {
    'current-context': 'a',
    clusters: ['a', 'b'].map(name => ({ name, cluster: { server: `https://h/clusters/${name}` } })),
    contexts: ['a', 'b'].map(name => ({ name, context: { cluster: name, user: 'admin' } })),
    users: [
      { name: 'admin', user: { token: 't' } },
      { name: 'other', user: {} },
    ],
  };
  for (const cluster of ['b', 'new']) {
    test(`has only ${cluster}`, () => {
      assert.deepEqual(kubeconfigFor(file, cluster), {
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': cluster,
        clusters: [{ name: cluster, cluster: { server: `https://h/clusters/${cluster}` } }],
        contexts: [{ name: cluster, context: { cluster, user: 'admin' } }],
        users: [{ name: 'admin', user: { token: 't' } }],
      });
    });
  }
});

test('cells that show a state are coloured where the output has colours, and stay aligned', () => {
  const written: string[] = [];
  const stdout = { isTTY: true, write: (text: string | Uint8Array) => written.push(String(text)) };
  const rows = [
    ['a', 'Ready', 'Failed'],
    ['b', 'Failed', ''],
    ['c', 'Progressing', ''],
  ];
  writeTable({ stdout, stderr: stdout, env: {} }, { headings: ['name', 'phase', 'note'], rows, noun: 'thing' });
  const [painted = ''] = written;
  for (const text of ['\u001b[32mReady', '\u001b[31mFailed', '\u001b[33mProgressing'])
    assert.ok(painted.includes(text));
  assert.equal(painted.split('\u001b[31m').length, 2, 'other columns are not');
  writeTable(
    { stdout, stderr: stdout, env: { NO_COLOR: '1' } },
    { headings: ['name', 'phase', 'note'], rows, noun: 'x' },
  );
  assert.equal(stripVTControlCharacters(painted), written[1]);
});
