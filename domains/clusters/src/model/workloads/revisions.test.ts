import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Deployment, PodTemplate, ReplicaSet } from './objects.ts';
import { hashTemplate, isSameTemplate, withHash } from './pod-template.ts';
import { currentAnnotations, newSet, revisionAnnotation, sortSets, surplusSets } from './revisions.ts';

const template = (image: string): PodTemplate => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image }] },
});

const deployment: Deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'ns',
    annotations: {
      [revisionAnnotation]: '7',
      'kubernetes.io/change-cause': 'why not',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
    },
  },
  spec: { selector: { matchLabels: { app: 'web' } }, template: template('new') },
};

const set = (name: string, image: string, revision: number | bigint, more: Partial<ReplicaSet> = {}): ReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name, annotations: { [revisionAnnotation]: String(revision) } },
  spec: { replicas: 0, template: withHash(template(image), name) },
  ...more,
});

describe('the sets of a deployment', () => {
  test('are distinguished by their templates, whatever their hashes', () => {
    const { current, old } = sortSets(deployment, [set('a', 'old', 1), set('b', 'new', 2)]);
    assert.deepEqual([current?.metadata.name, old.map(({ metadata }) => metadata.name)], ['b', ['a']]);
  });

  test('do not count while they are being deleted', () => {
    const leaving = set('b', 'new', 2, { metadata: { name: 'b', deletionTimestamp: '2030-01-01T00:00:00Z' } });
    assert.equal(sortSets(deployment, [leaving]).current, undefined);
  });

  test('get the next revision, and remember those they had', () => {
    const back = currentAnnotations(deployment, { current: set('a', 'new', 1), old: [set('b', 'old', 2)] });
    assert.equal(back[revisionAnnotation], '3');
    assert.equal(back['deployment.kubernetes.io/revision-history'], '1');
    const same = currentAnnotations(deployment, { current: set('b', 'new', 2), old: [set('a', 'old', 1)] });
    assert.equal(same[revisionAnnotation], '2');
  });

  test('have revisions that are exact, whichever int64 was written', () => {
    const old = [set('a', 'old', 9_007_199_254_740_993n), set('b', 'older', 9_007_199_254_740_992n)];
    const next = currentAnnotations(deployment, { current: undefined, old });
    assert.equal(next[revisionAnnotation], '9007199254740994');
    const back = currentAnnotations(deployment, { current: set('c', 'new', 9_007_199_254_740_991n), old });
    assert.equal(back[revisionAnnotation], '9007199254740994');
    assert.equal(back['deployment.kubernetes.io/revision-history'], '9007199254740991');
    const limited = { ...deployment, spec: { ...deployment.spec, revisionHistoryLimit: 1 } };
    assert.deepEqual(
      surplusSets(limited, { current: undefined, old }).map(({ metadata }) => metadata.name),
      ['b'],
    );
  });

  test('are handed down annotations, but not those of one object alone', () => {
    const annotations = currentAnnotations(deployment, { current: undefined, old: [] });
    assert.deepEqual(annotations, { 'kubernetes.io/change-cause': 'why not', [revisionAnnotation]: '1' });
  });

  test('are made with the hash of the template in name, labels, selector and pods', () => {
    const { metadata, spec } = newSet(deployment);
    const hash = hashTemplate(template('new'), 0);
    assert.equal(metadata.name, `web-${hash}`);
    assert.deepEqual(metadata.labels, { app: 'web', 'pod-template-hash': hash });
    assert.deepEqual(spec?.selector?.matchLabels, { app: 'web', 'pod-template-hash': hash });
    assert.equal(spec?.template?.metadata?.labels?.['pod-template-hash'], hash);
  });

  test('go when there are too many, those of the lowest revisions, and only empty ones', () => {
    const busy = set('a', 'old', 1, { spec: { replicas: 1 } });
    const old = [busy, set('b', 'older', 3), set('c', 'oldest', 2)];
    const surplus = surplusSets(
      { ...deployment, spec: { ...deployment.spec, revisionHistoryLimit: 1 } },
      { current: undefined, old },
    );
    assert.deepEqual(
      surplus.map(({ metadata }) => metadata.name),
      ['c', 'b'],
    );
    assert.deepEqual(surplusSets(deployment, { current: undefined, old }), []);
  });
});

describe('the hash of a template', () => {
  test('does not depend on the order of fields', () => {
    const turned = { spec: { containers: [{ image: 'new', name: 'main' }] }, metadata: { labels: { app: 'web' } } };
    assert.equal(hashTemplate(turned, 0), hashTemplate(template('new'), 0));
    assert.ok(isSameTemplate(turned, template('new')));
  });

  test('is another for another template, and after a collision', () => {
    const hashes = [hashTemplate(template('a'), 0), hashTemplate(template('b'), 0), hashTemplate(template('a'), 1)];
    assert.equal(new Set(hashes).size, 3);
    for (const hash of hashes) assert.match(hash, /^[bcdfghjklmnpqrstvwxz2456789]{10}$/);
  });
});
