import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KindDeclaration } from '@chandlery/api';
import { aggregatedDiscovery } from './aggregated.ts';
import { DiscoveryDocuments } from './discovery-documents.ts';
import { discoveryGroupsOf } from './discovery-groups.ts';
import { apiGroupList, apiVersions } from './legacy.ts';
import { isNotModified, type RenderedDocument } from './rendered-document.ts';
import { cronTabKind, kindSource, namespaceKind, sampleKinds, sampleReviews } from './test-kinds.ts';

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly verbs: string[];
  readonly group?: string;
  readonly version?: string;
  readonly namespaced: boolean;
  readonly singularName: string;
}
const parse = <T>(document: RenderedDocument | undefined): T => JSON.parse(document?.body.toString() ?? 'null') as T;
const documents = new DiscoveryDocuments({ reviews: sampleReviews });
const resourcesOf = (group: string, version: string): Resource[] =>
  parse<{ resources: Resource[] }>(documents.groupVersion(sampleKinds, group, version)).resources;

describe('aggregated discovery', () => {
  interface Discovery {
    readonly apiVersion: string;
    readonly items: {
      metadata: { name: string };
      versions: { version: string; freshness: string; resources: object[] }[];
    }[];
  }

  test('/api holds the core group and nothing else', () => {
    const { items } = parse<Discovery>(documents.root(sampleKinds, '/api', 'v2'));
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      [''],
    );
    assert.deepEqual(
      items[0]?.versions.map(({ version, freshness }) => [version, freshness]),
      [['v1', 'Current']],
    );
  });

  test("/apis lists Kubernetes' groups in its own order, then custom ones by name", () => {
    const { items } = parse<Discovery>(documents.root(sampleKinds, '/apis', 'v2'));
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['apps', 'authentication.k8s.io', 'authorization.k8s.io', 'a.example.com', 'stable.example.com'],
    );
  });

  test('a resource is described with all that kubectl needs', () => {
    const { items } = aggregatedDiscovery(discoveryGroupsOf(sampleKinds, []), '/apis', 'v2') as Discovery;
    const group = items.find(({ metadata }) => metadata.name === 'stable.example.com');
    assert.deepEqual(group?.versions[0]?.resources, [
      {
        resource: 'crontabs',
        responseKind: { group: 'stable.example.com', version: 'v1', kind: 'CronTab' },
        scope: 'Namespaced',
        singularResource: 'crontab',
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
        shortNames: ['ct'],
        subresources: [
          {
            subresource: 'scale',
            responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
            verbs: ['get', 'patch', 'update'],
          },
          {
            subresource: 'status',
            responseKind: { group: 'stable.example.com', version: 'v1', kind: 'CronTab' },
            verbs: ['get', 'patch', 'update'],
          },
        ],
      },
    ]);
  });

  test('both versions are spoken, each under its own content type', () => {
    for (const version of ['v2', 'v2beta1'] as const) {
      const document = documents.root(sampleKinds, '/apis', version);
      assert.equal(
        document.contentType,
        `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
      );
      assert.equal(parse<Discovery>(document).apiVersion, `apidiscovery.k8s.io/${version}`);
    }
  });
});

describe('legacy discovery', () => {
  test('/api names the versions of the core group', () => {
    assert.deepEqual(apiVersions(discoveryGroupsOf(sampleKinds, sampleReviews)), {
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [],
    });
  });

  test('/apis names groups with their preferred version first', () => {
    const { groups } = apiGroupList(discoveryGroupsOf(sampleKinds, [])) as { groups: { name: string }[] };
    assert.deepEqual(groups.at(-1), {
      name: 'stable.example.com',
      versions: [
        { groupVersion: 'stable.example.com/v1', version: 'v1' },
        { groupVersion: 'stable.example.com/v1alpha1', version: 'v1alpha1' },
      ],
      preferredVersion: { groupVersion: 'stable.example.com/v1', version: 'v1' },
    });
  });

  test('/apis/<group> is the same entry alone', () => {
    assert.equal(parse<{ kind: string; name: string }>(documents.group(sampleKinds, 'apps')).name, 'apps');
    assert.equal(documents.group(sampleKinds, 'nothing.example.com'), undefined);
    assert.equal(documents.group(sampleKinds, ''), undefined);
  });

  test('a group version lists resources and sub-resources', () => {
    assert.deepEqual(
      resourcesOf('', 'v1').map(({ name, kind }) => `${name} ${kind}`),
      [
        'namespaces Namespace',
        'namespaces/finalize Namespace',
        'namespaces/status Namespace',
        'pods Pod',
        'pods/log Pod',
        'pods/status Pod',
        'serviceaccounts ServiceAccount',
        'serviceaccounts/token TokenRequest',
      ],
    );
  });

  test('a sub-resource of another group says so', () => {
    const token = resourcesOf('', 'v1').find(({ name }) => name === 'serviceaccounts/token');
    assert.deepEqual([token?.group, token?.version, token?.verbs], ['authentication.k8s.io', 'v1', ['create']]);
    const scale = resourcesOf('apps', 'v1').find(({ name }) => name === 'deployments/scale');
    assert.deepEqual([scale?.group, scale?.version, scale?.kind], ['autoscaling', 'v1', 'Scale']);
  });

  test('a kind shows only in the versions that it serves', () => {
    assert.deepEqual(
      resourcesOf('stable.example.com', 'v1').map(({ name }) => name),
      ['crontabs', 'crontabs/scale', 'crontabs/status'],
    );
    assert.deepEqual(
      resourcesOf('stable.example.com', 'v1alpha1').map(({ name }) => name),
      ['crontabs', 'oldtabs'],
    );
    assert.equal(documents.groupVersion(sampleKinds, 'stable.example.com', 'v0'), undefined);
  });

  test('reviews can be created and nothing else', () => {
    const reviews = resourcesOf('authorization.k8s.io', 'v1');
    assert.deepEqual(
      reviews.map(({ name, namespaced }) => [name, namespaced]),
      [
        ['localsubjectaccessreviews', true],
        ['selfsubjectaccessreviews', false],
      ],
    );
    assert.ok(reviews.every(({ verbs }) => verbs.join() === 'create'));
    const identity = resourcesOf('authentication.k8s.io', 'v1').map(({ name }) => name);
    assert.deepEqual(identity, ['selfsubjectreviews'], 'bodies of sub-resources are no resources');
  });
});

describe('rendered documents', () => {
  test('clusters with equal kinds share one document', () => {
    const [a, b] = [kindSource([namespaceKind]), kindSource([namespaceKind])];
    assert.equal(documents.root(a, '/api', 'v2'), documents.root(b, '/api', 'v2'));
    assert.equal(documents.groupVersion(a, '', 'v1'), documents.groupVersion(b, '', 'v1'));
  });

  test('another kind makes another ETag', () => {
    const [before, after] = [kindSource([namespaceKind]), kindSource([namespaceKind, cronTabKind])];
    assert.notEqual(documents.root(before, '/apis').etag, documents.root(after, '/apis').etag);
    assert.equal(documents.root(before, '/api').etag, documents.root(after, '/api').etag);
  });

  test('forgetting documents does not change them', () => {
    const tiny = new DiscoveryDocuments({ reviews: sampleReviews, maxBytes: 10 });
    assert.deepEqual(tiny.root(sampleKinds, '/apis', 'v2'), tiny.root(sampleKinds, '/apis', 'v2'));
  });

  test('If-None-Match recognises the document in all spellings', () => {
    const document = documents.root(sampleKinds, '/apis');
    for (const header of [document.etag, `W/${document.etag}`, `"x", ${document.etag}`, '*']) {
      assert.equal(isNotModified(header, document), true, header);
    }
    for (const header of [undefined, '"x"', '']) assert.equal(isNotModified(header, document), false, String(header));
  });

  test('a kind that others serve is listed with the rest, also in a group of its own', () => {
    const metrics: KindDeclaration = {
      group: 'metrics.example.com',
      kind: 'BoatMetrics',
      plural: 'boats',
      scope: 'Namespaced',
      verbs: ['get', 'list'],
      versions: [{ name: 'v1', schema: { type: 'object' } }],
    };
    const more = new DiscoveryDocuments({ reviews: [...sampleReviews, metrics] });
    for (const aggregated of [undefined, 'v2'] as const)
      assert.match(more.root(sampleKinds, '/apis', aggregated).body.toString(), /metrics\.example\.com/);
    assert.match(more.group(sampleKinds, 'metrics.example.com')?.body.toString() ?? '', /"metrics.example.com\/v1"/);
    const { resources } = parse<{ resources: Resource[] }>(more.groupVersion(sampleKinds, 'metrics.example.com', 'v1'));
    assert.deepEqual(
      resources.map(({ name, kind, verbs }) => ({ name, kind, verbs })),
      [{ name: 'boats', kind: 'BoatMetrics', verbs: ['get', 'list'] }],
    );
    assert.equal(documents.group(sampleKinds, 'metrics.example.com'), undefined);
  });

  test('a kind that is both stored and a review is listed once', () => {
    const [review] = sampleReviews;
    assert.ok(review);
    const catalogue = discoveryGroupsOf(kindSource([review]), sampleReviews);
    const names = catalogue.flatMap(({ versions }) =>
      versions.flatMap(({ resources }) => resources.map(({ plural }) => plural)),
    );
    assert.equal(names.filter(name => name === review.plural).length, 1);
  });
});
