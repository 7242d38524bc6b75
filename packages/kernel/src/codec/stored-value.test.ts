import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type KubeObject, parseJson } from '@chandlery/api';
import fc from 'fast-check';
import { testCipher } from '../test-kernel.ts';
import { SealedCodec } from './sealed-codec.ts';
import { decodeValue, encodeValue, orderedMetadata, peekLabels, spliceRevision } from './stored-value.ts';

const text = fc.string({ unit: 'grapheme' });
const objects: fc.Arbitrary<KubeObject> = fc
  .record({
    apiVersion: text,
    kind: text,
    metadata: fc.dictionary(text, text),
    rest: fc.dictionary(text, fc.jsonValue()),
  })
  .map(({ rest, ...named }) => ({ ...rest, ...named }))
  .map(object => parseJson(JSON.stringify(object)) as KubeObject);

describe('a stored value', () => {
  test('is the object with its resourceVersion, whatever the object holds', () => {
    fc.assert(
      fc.property(objects, fc.nat(), (object, revision) => {
        const served = decodeValue(encodeValue(object), revision);
        const metadata = { ...object.metadata, resourceVersion: String(revision) };
        assert.deepEqual(served, { ...object, metadata });
      }),
    );
  });

  test('is the same for an object whose metadata was put in order first', () => {
    fc.assert(
      fc.property(objects, fc.option(fc.dictionary(text, text)), (object, labels) => {
        const { apiVersion, kind, metadata: given, ...rest } = object;
        const { resourceVersion: _, ...metadata }: KubeObject['metadata'] = { ...given, ...(labels && { labels }) };
        const plain = encodeValue({ apiVersion, kind, metadata, ...rest });
        assert.deepEqual(encodeValue({ apiVersion, kind, metadata: orderedMetadata(metadata), ...rest }), plain);
      }),
    );
  });

  test('says nothing of the resourceVersion that the object came with', () => {
    const object = (resourceVersion: string): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', resourceVersion },
    });
    assert.deepEqual(encodeValue(object('1')), encodeValue(object('22')));
    assert.equal(
      spliceRevision(encodeValue(object('1')), 345).toString(),
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"345","name":"a"}}',
    );
  });
});

describe('a peek at the labels', () => {
  const labelled = (labels: unknown): KubeObject =>
    ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels }, data: {} }) as KubeObject;

  const cases: readonly { labels: unknown; seen: unknown; why: string }[] = [
    { labels: { app: 'a', 'example.org/tier': 'b' }, seen: { app: 'a', 'example.org/tier': 'b' }, why: 'plain labels' },
    { labels: {}, seen: {}, why: 'a map without entries' },
    { labels: undefined, seen: undefined, why: 'no labels' },
    { labels: 'text', seen: undefined, why: 'something else of that name' },
    { labels: { app: 'a}b' }, seen: undefined, why: 'a brace, which no label has' },
    { labels: { app: { deep: 'er' } }, seen: undefined, why: 'a map inside' },
  ];
  for (const { labels, seen, why } of cases) {
    test(`sees all of them or nothing: ${why}`, () => {
      assert.deepEqual(peekLabels(encodeValue(labelled(labels))), seen);
    });
  }

  test('never differs from what the object says', () => {
    fc.assert(
      fc.property(fc.dictionary(text, text), labels => {
        const seen = peekLabels(encodeValue(labelled(labels)));
        if (seen !== undefined) assert.deepEqual(seen, JSON.parse(JSON.stringify(labels)));
      }),
    );
  });
});

describe('the sealed codec', () => {
  const codec = new SealedCodec(testCipher, ['/secrets']);
  const object: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a' },
    data: { password: 'hunter2' },
  };
  const key = (resource: string) => ({ cluster: 'c', resource, namespace: 'n', name: 'a' });

  test('seals objects of secret kinds and opens them again', () => {
    const sealed = codec.encode(key('/secrets'), object);
    assert.ok(!Buffer.from(sealed.bytes).includes('hunter2'));
    assert.deepEqual(decodeValue(codec.open(key('/secrets'), sealed), 7).data, object['data']);
  });

  test('leaves all others as they are', () => {
    const value = codec.encode(key('/configmaps'), object);
    assert.equal(codec.open(key('/configmaps'), value), value);
    assert.ok(Buffer.from(value.bytes).includes('hunter2'));
  });

  test('binds a ciphertext to its place', () => {
    const contexts: string[] = [];
    const recording = {
      encrypt: (bytes: Uint8Array, context: string) => (contexts.push(context), bytes),
      decrypt: (bytes: Uint8Array) => bytes,
    };
    new SealedCodec(recording, ['/secrets']).encode(key('/secrets'), object);
    assert.deepEqual(contexts, ['c|/secrets|n|a']);
  });
});
