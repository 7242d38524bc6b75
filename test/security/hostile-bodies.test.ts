import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { CallOptions } from './support/caller.ts';
import { expectRefusal, type HostileLandscape, startHostileLandscape } from './support/hostile-landscape.ts';
import { configMap, corePath, create, deployment, expectStatus, groupPath } from './support/objects.ts';

let hostile: HostileLandscape;
let memoryBefore = 0;

const mebibyte = 1024 * 1024;
const maps = `${corePath('shop', 'default')}/configmaps`;
const deployments = `${groupPath('shop', 'apps/v1', 'default')}/deployments`;
const crds = groupPath('shop', 'apiextensions.k8s.io/v1/customresourcedefinitions');

before(async () => {
  hostile = await startHostileLandscape();
  await create(hostile.admin, maps, configMap('target', { a: 'x'.repeat(100) }));
  memoryBefore = await hostile.metric('process_resident_memory_bytes');
});
after(async () => {
  const grown = (await hostile.metric('process_resident_memory_bytes')) - memoryBefore;
  assert.ok(grown < 600 * mebibyte, `the process grew by ${Math.round(grown / mebibyte)} MiB`);
  await hostile?.expectHealthy();
  await hostile?.[Symbol.asyncDispose]();
});

const yaml = { 'content-type': 'application/yaml' };
const protobuf = { 'content-type': 'application/vnd.kubernetes.protobuf' };
const long = (bytes: number) => configMap('long', { a: 'x'.repeat(bytes) });
const aliasBomb = ['a: &a [x,x,x,x,x,x,x,x,x]', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].reduce(
  (text, name, at) =>
    `${text}\n${name}: &${name} [${Array(9)
      .fill(`*${'abcdefghi'[at - 1]}`)
      .join(',')}]`,
);

const bodies: readonly { readonly what: string; readonly options: CallOptions; readonly codes: readonly number[] }[] = [
  { what: 'one byte more than 3 MiB', options: { body: 'x'.repeat(3 * mebibyte + 1) }, codes: [413] },
  { what: 'far more than 3 MiB', options: { body: 'x'.repeat(20 * mebibyte) }, codes: [413] },
  { what: 'an object of 3 MiB', options: { body: long(3 * mebibyte - 300) }, codes: [413, 422] },
  { what: 'an object of 1.6 MiB', options: { body: long(1.6 * mebibyte) }, codes: [413, 422] },
  { what: 'lists nested 100,000 deep', options: { body: '['.repeat(100_000) + ']'.repeat(100_000) }, codes: [400] },
  {
    what: 'objects nested 100,000 deep',
    options: { body: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}` },
    codes: [400],
  },
  { what: 'unclosed lists', options: { body: '['.repeat(mebibyte) }, codes: [400] },
  { what: 'YAML nested 100,000 deep', options: { body: `a: ${'['.repeat(100_000)}`, headers: yaml }, codes: [400] },
  {
    what: 'YAML blocks nested 2,000 deep',
    options: { body: Array.from({ length: 2000 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'), headers: yaml },
    codes: [400],
  },
  { what: 'a YAML alias bomb', options: { body: aliasBomb, headers: yaml }, codes: [400] },
  {
    what: 'YAML with 500,000 keys',
    options: {
      body: Array.from({ length: 500_000 }, (_, at) => `${at}:`)
        .join('\n')
        .slice(0, 3 * mebibyte),
      headers: yaml,
    },
    codes: [400],
  },
  { what: 'a YAML tag that makes objects', options: { body: '!!js/function "x"', headers: yaml }, codes: [400] },
  { what: 'invalid UTF-8', options: { body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) }, codes: [400] },
  { what: 'UTF-16', options: { body: Buffer.from(JSON.stringify(configMap('x')), 'utf16le') }, codes: [400] },
  { what: 'nothing', options: { method: 'POST', body: '' }, codes: [400] },
  { what: 'null', options: { body: 'null' }, codes: [400] },
  { what: 'a number', options: { body: '1' }, codes: [400] },
  { what: 'a list', options: { body: '[]' }, codes: [400] },
  { what: 'two documents', options: { body: '{}{}' }, codes: [400] },
  { what: 'NaN', options: { body: '{"a":NaN}' }, codes: [400] },
  {
    what: 'a compressed body',
    options: { body: gzipSync(JSON.stringify(configMap('x'))), headers: { 'content-encoding': 'gzip' } },
    codes: [400, 415],
  },
  {
    what: 'an unknown media type',
    options: { body: '<x/>', headers: { 'content-type': 'application/xml' } },
    codes: [415],
  },
  {
    what: 'a media type that every object has',
    options: { body: '{}', headers: { 'content-type': 'constructor' } },
    codes: [415],
  },
  { what: 'protobuf without its mark', options: { body: Buffer.from([1, 2, 3]), headers: protobuf }, codes: [400] },
  {
    what: 'protobuf that ends early',
    options: { body: Buffer.from('k8s\0\x0a\x7f'), headers: protobuf },
    codes: [400],
  },
  {
    what: 'protobuf with an endless number',
    options: { body: Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(100, 0xff)]), headers: protobuf },
    codes: [400],
  },
  {
    what: 'protobuf of an unknown kind',
    options: { body: Buffer.from('k8s\0\x0a\x0a\x0a\x02v1\x12\x04Nope\x12\x00'), headers: protobuf },
    codes: [400, 415],
  },
];

for (const { what, options, codes } of bodies) {
  test(`${what} is rejected`, async () => {
    expectRefusal(await hostile.admin.send(maps, options), codes, what);
  });
}

test('duplicate keys: the last wins with a warning, strict clients are rejected', async () => {
  const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}';
  expectRefusal(await hostile.admin.send(`${maps}?fieldValidation=Strict`, { body }), [400], 'strict');
  const answer = expectStatus(await hostile.admin.send(maps, { body }), 201);
  assert.deepEqual(answer.json().data, { a: '2' });
  assert.match(String(answer.headers['warning']), /duplicate field/);
});

test('names that every JavaScript object has are keys like others, by every way of writing', async () => {
  const data = '{"__proto__":"p","constructor":"c","hasOwnProperty":"h","toString":"t","valueOf":"v"}';
  const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"names","annotations":{"constructor":"c"}},"__proto__":{"polluted":"yes"},"data":${data}}`;
  const send = (type: string, patch: string, query = '') =>
    hostile.admin.send(`${maps}/names${query}`, {
      method: 'PATCH',
      body: patch,
      headers: { 'content-type': `application/${type}` },
    });
  const expectData = (text: string) => assert.ok(text.includes(`"data":${data}`), text);
  expectData(expectStatus(await hostile.admin.send(maps, { body }), 201).text);
  expectData(expectStatus(await hostile.admin.send(`${maps}/names`, { method: 'PUT', body }), 200).text);
  expectStatus(
    await send('merge-patch+json', '{"data":{"__proto__":"q","constructor":null},"__proto__":{"polluted":1}}'),
    200,
  );
  expectStatus(await send('strategic-merge-patch+json', '{"data":{"__proto__":"r"},"__proto__":{"polluted":1}}'), 200);
  expectStatus(await send('json-patch+json', '[{"op":"replace","path":"/data/__proto__","value":"s"}]'), 200);
  expectRefusal(
    await send('json-patch+json', '[{"op":"add","path":"/__proto__/polluted","value":"s"}]'),
    [422],
    'pollution',
  );
  expectRefusal(
    await send('json-patch+json', '[{"op":"add","path":"/constructor/prototype/polluted","value":"s"}]'),
    [422],
    'pollution',
  );
  const applied = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"names"},"data":{"__proto__":"a","constructor":"b"}}`;
  expectStatus(await send('apply-patch+yaml', applied, '?fieldManager=x&force=true'), 200);
  const fewer = applied.replace('"__proto__":"a",', '');
  const { text } = expectStatus(await send('apply-patch+yaml', fewer, '?fieldManager=x&force=true'), 200);
  assert.ok(!text.includes('"__proto__":"a"'), text);
  const fresh = await create(hostile.admin, maps, configMap('fresh'));
  assert.equal(JSON.stringify(fresh).includes('polluted'), false);
});

test('a Secret may be of any type, also of one that every JavaScript object has', async () => {
  for (const type of ['constructor', '__proto__', 'toString']) {
    const metadata = { generateName: 'typed-' };
    const body = { apiVersion: 'v1', kind: 'Secret', metadata, type };
    expectStatus(await hostile.admin.send(`${corePath('shop', 'default')}/secrets`, { body }), 201, type);
  }
});

test('numbers beyond all bounds are rejected', async () => {
  for (const number of [
    '1e999',
    '-1e999',
    '123456789012345678901234567890',
    '9007199254740993',
    '1.5',
    '-0.1',
    '"1"',
    '-1',
  ]) {
    const body = JSON.stringify(deployment('numbers')).replace('"replicas":0', `"replicas":${number}`);
    expectRefusal(await hostile.admin.send(deployments, { body }), [400, 422], number);
  }
});

test('JSON patches have bounds', async () => {
  const patch = (operations: readonly object[]) =>
    hostile.admin.send(`${maps}/target`, {
      method: 'PATCH',
      body: operations,
      headers: { 'content-type': 'application/json-patch+json' },
    });
  const repeat = (count: number, operation: (at: number) => object) =>
    Array.from({ length: count }, (_, at) => operation(at));
  expectRefusal(await patch(repeat(10_001, () => ({ op: 'test', path: '/data/a', value: 'x' }))), [413], 'many');
  expectRefusal(await patch(repeat(60, at => ({ op: 'copy', from: '/data', path: `/data/c${at}` }))), [413], 'copies');
  expectRefusal(await patch([{ op: 'move', from: '/data', path: '/data/inside' }]), [400, 422], 'into itself');
  expectRefusal(await patch([{ op: 'add', path: '/data/99999999999999999999/x', value: 1 }]), [400, 422], 'nowhere');
  expectRefusal(await patch([{ op: 'add', path: '', value: 'no object' }]), [400, 422], 'the whole');
  expectRefusal(
    await patch([
      { op: 'remove', path: '/metadata/name' },
      { op: 'remove', path: '/kind' },
    ]),
    [400, 422],
    'identity',
  );
  expectRefusal(await patch([{ op: 'constructor', path: '/data' }]), [400, 422], 'operation');
});

test('patterns that take others exponential time are just matched', async () => {
  const pattern = '^(a+)+$';
  const crd = (name: string, spec: object) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}.example.org` },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { plural: name, kind: name[0]?.toUpperCase() + name.slice(1, -1) },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: spec } }],
    },
  });
  const schema = (inner: object) => ({ type: 'object', properties: { spec: inner } });
  await create(hostile.admin, crds, crd('bombs', schema({ type: 'string', pattern })));
  const bomb = (spec: string) => ({
    apiVersion: 'example.org/v1',
    kind: 'Bomb',
    metadata: { generateName: 'b-' },
    spec,
  });
  const bombs = groupPath('shop', 'example.org/v1', 'default');
  expectStatus(await hostile.admin.send(`${bombs}/bombs`, { body: bomb('a'.repeat(1000)) }), 201);
  expectRefusal(await hostile.admin.send(`${bombs}/bombs`, { body: bomb(`${'a'.repeat(50_000)}!`) }), [422], 'bomb');
  for (const bad of ['(', '(?=x)', '\\1', 'a{99999}', 'x'.repeat(10_000)])
    expectRefusal(
      await hostile.admin.send(crds, { body: crd('worses', schema({ type: 'string', pattern: bad })) }),
      [422],
      bad.slice(0, 20),
    );
  const deep = Array.from({ length: 400 }).reduce<object>(inner => ({ type: 'object', properties: { a: inner } }), {
    type: 'string',
  });
  const answer = await hostile.admin.send(crds, { body: crd('deeps', schema(deep)) });
  expectRefusal(answer, [201, 400, 422], 'a deep schema');
});
