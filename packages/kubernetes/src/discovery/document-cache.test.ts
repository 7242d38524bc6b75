import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DocumentCache } from './document-cache.ts';
import { renderDocument } from './rendered-document.ts';

const document = renderDocument({ text: 'x'.repeat(89) });

test('keeps documents up to its size and forgets the least recently used', () => {
  const cache = new DocumentCache(300);
  const rendered: string[] = [];
  const ask = (key: string) => cache.get(key, () => (rendered.push(key), document));
  for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) ask(key);
  assert.deepEqual(rendered, ['a', 'b', 'c', 'd', 'b']);
  assert.equal(cache.bytes, 300);
});

test('does not keep that there is nothing', () => {
  const cache = new DocumentCache(300);
  assert.equal(
    cache.get('a', () => undefined),
    undefined,
  );
  assert.equal(
    cache.get('a', () => document),
    document,
  );
});

test('gives out a document that is larger than the whole cache', () => {
  const cache = new DocumentCache(10);
  assert.equal(
    cache.get('a', () => document),
    document,
  );
  assert.equal(cache.bytes, 0);
});
