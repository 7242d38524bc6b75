import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { builtInKinds, type KubeObject } from '@chandlery/api';
import { CompiledKind, FeedEvent, type Served, ValidatorCache, type WatchItem } from '@chandlery/kernel';
import type { ResourceCall } from '../call.ts';
import type { Negotiated } from '../negotiate.ts';
import { frameWriter } from './frames.ts';

const declaration = builtInKinds.find(({ plural }) => plural === 'configmaps');
assert.ok(declaration);
const kind = new CompiledKind(declaration, new ValidatorCache());
const call = {
  query: new URLSearchParams(),
  target: { cluster: 'c', resource: { kind, version: kind.storageVersion, sinceRevision: 0 }, namespace: '', name: '' },
} as unknown as ResourceCall;

const writerOf = (as: Negotiated['as']) => frameWriter(call, { as, version: 'v1', isPretty: false });

const object: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', resourceVersion: '7' },
  data: { x: 'y' },
};
const served: Served = { revision: 7, object, bytes: Buffer.from(JSON.stringify(object)) };
const parse = (frame: Buffer): { type: string; object: Record<string, unknown> } => {
  const text = frame.toString();
  assert.ok(text.endsWith('\n') && text.indexOf('\n') === text.length - 1);
  return JSON.parse(text) as ReturnType<typeof parse>;
};

describe('watch frames', () => {
  test('are one line each, with the object as it is served', () => {
    const frames = writerOf('json');
    assert.deepEqual(parse(frames.frame({ type: 'ADDED', served, source: undefined })), { type: 'ADDED', object });
  });

  test('are made once for all watchers of a change, and once more for another type', () => {
    const change = {
      revision: 7,
      type: 'updated',
      key: { cluster: 'c', resource: '/configmaps', namespace: 'n', name: 'a' },
    };
    const source = new FeedEvent(
      change as ConstructorParameters<typeof FeedEvent>[0],
      undefined as never,
      undefined as never,
    );
    const item = (type: 'ADDED' | 'MODIFIED'): WatchItem => ({ type, served, source });
    const [one, two] = [writerOf('json'), writerOf('json')];
    assert.equal(one.frame(item('MODIFIED')), two.frame(item('MODIFIED')));
    assert.notEqual(one.frame(item('MODIFIED')), two.frame(item('ADDED')));
  });

  test('are tables with columns in the first one only', () => {
    const frames = writerOf('table');
    const columns = [1, 2].map(
      () => parse(frames.frame({ type: 'ADDED', served, source: undefined })).object['columnDefinitions'],
    );
    assert.ok((columns[0] as unknown[]).length > 0);
    assert.ok(columns[1] === undefined || columns[1] === null || (columns[1] as unknown[]).length === 0);
  });

  test('may hold metadata alone', () => {
    const frames = writerOf('partialMetadata');
    const shown = parse(frames.frame({ type: 'DELETED', served, source: undefined })).object;
    assert.deepEqual([shown['kind'], shown['data']], ['PartialObjectMetadata', undefined]);
  });

  test('mark how far the watcher is, and the end of the present state', () => {
    const frames = writerOf('json');
    const bookmark = (isInitialEnd: boolean) => parse(frames.frame({ type: 'BOOKMARK', revision: 9, isInitialEnd }));
    assert.deepEqual(bookmark(false), {
      type: 'BOOKMARK',
      object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { creationTimestamp: null, resourceVersion: '9' } },
    });
    assert.deepEqual((bookmark(true).object['metadata'] as KubeObject['metadata']).annotations, {
      'k8s.io/initial-events-end': 'true',
    });
  });

  test('may hold an error', () => {
    const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 410 } as const;
    assert.deepEqual(parse(writerOf('json').error(status)), {
      type: 'ERROR',
      object: status,
    });
  });
});
