import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KindDeclaration } from '@chandlery/api';
import type { RenderedDocument } from '../discovery/rendered-document.ts';
import {
  cronTabKind,
  deploymentKind,
  kindSource,
  lateKind,
  namespaceKind,
  podKind,
  sampleKinds,
  sampleReviews,
  serviceAccountKind,
} from '../discovery/test-kinds.ts';
import { OpenapiDocuments } from './openapi-documents.ts';
import { metaSchemaName, schemaName } from './schema-name.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters: { readonly name: string }[];
  readonly requestBody?: { readonly content: Record<string, object> };
  readonly responses: Record<string, object>;
  readonly 'x-kubernetes-action': string;
  readonly 'x-kubernetes-group-version-kind': object;
}
type Schema = { readonly [key: string]: unknown; readonly properties: Record<string, Schema> };
interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

const documents = new OpenapiDocuments({ reviews: sampleReviews });
const parse = <T>(document: RenderedDocument | undefined): T => JSON.parse(document?.body.toString() ?? 'null') as T;
const documentOf = (group: string, version: string): Document =>
  parse(documents.groupVersion(sampleKinds, group, version));
const cronTabs = documentOf('stable.example.com', 'v1');
const core = documentOf('', 'v1');
const cronTab = cronTabs.components.schemas['com.example.stable.v1.CronTab'];
const indexOf = (kinds: KindDeclaration[], prefix?: string) =>
  parse<{ paths: Record<string, { serverRelativeURL: string }> }>(documents.index(kindSource(kinds), prefix)).paths;

describe('the index', () => {
  test('names every group version, reviews included', () => {
    assert.deepEqual(Object.keys(indexOf([namespaceKind, cronTabKind])).sort(), [
      'api/v1',
      'apis/authentication.k8s.io/v1',
      'apis/authorization.k8s.io/v1',
      'apis/stable.example.com/v1',
      'apis/stable.example.com/v1alpha1',
    ]);
  });

  test("has a hash that changes with the group version's kinds and with nothing else", () => {
    const [before, after] = [indexOf([namespaceKind]), indexOf([namespaceKind, podKind, lateKind])];
    const path = 'apis/authorization.k8s.io/v1';
    assert.match(
      before[path]?.serverRelativeURL ?? '',
      /^\/openapi\/v3\/apis\/authorization\.k8s\.io\/v1\?hash=[0-9A-F]{32}$/,
    );
    assert.equal(before[path]?.serverRelativeURL, after[path]?.serverRelativeURL);
    assert.notEqual(before['api/v1']?.serverRelativeURL, after['api/v1']?.serverRelativeURL);
  });

  test('begins addresses with the prefix on request', () => {
    assert.ok(
      indexOf([namespaceKind], '/clusters/a')['api/v1']?.serverRelativeURL.startsWith(
        '/clusters/a/openapi/v3/api/v1?hash=',
      ),
    );
  });
});

describe('documents', () => {
  test('are shared by clusters that serve the same group version', () => {
    const body = (kinds: KindDeclaration[]) => documents.groupVersion(kindSource(kinds), '', 'v1')?.body;
    assert.equal(body([namespaceKind]), body([namespaceKind, cronTabKind]));
    assert.notEqual(body([namespaceKind]), body([namespaceKind, podKind]));
  });

  test('may be cached for ever only under their own hash', () => {
    const hash = indexOf([namespaceKind])['api/v1']?.serverRelativeURL.split('hash=')[1];
    const isImmutable = (asked?: string) =>
      documents.groupVersion(kindSource([namespaceKind]), '', 'v1', asked)?.isImmutable;
    assert.deepEqual([isImmutable(hash), isImmutable('0'), isImmutable()], [true, false, false]);
  });

  test('exist for served group versions only', () => {
    assert.equal(documents.groupVersion(sampleKinds, 'stable.example.com', 'v0'), undefined);
    assert.equal(documents.groupVersion(sampleKinds, 'nothing.example.com', 'v1'), undefined);
  });
});

describe('paths', () => {
  const base = '/apis/stable.example.com/v1';
  const collection = `${base}/namespaces/{namespace}/crontabs`;
  const cases: readonly [path: string, method: string, action: string, id: string][] = [
    [`${base}/crontabs`, 'get', 'list', 'listStableExampleComV1CronTabForAllNamespaces'],
    [collection, 'get', 'list', 'listStableExampleComV1NamespacedCronTab'],
    [collection, 'post', 'post', 'createStableExampleComV1NamespacedCronTab'],
    [collection, 'delete', 'deletecollection', 'deleteStableExampleComV1CollectionNamespacedCronTab'],
    [`${collection}/{name}`, 'get', 'get', 'readStableExampleComV1NamespacedCronTab'],
    [`${collection}/{name}`, 'put', 'put', 'replaceStableExampleComV1NamespacedCronTab'],
    [`${collection}/{name}`, 'patch', 'patch', 'patchStableExampleComV1NamespacedCronTab'],
    [`${collection}/{name}`, 'delete', 'delete', 'deleteStableExampleComV1NamespacedCronTab'],
    [`${collection}/{name}/status`, 'patch', 'patch', 'patchStableExampleComV1NamespacedCronTabStatus'],
    [`${collection}/{name}/scale`, 'put', 'put', 'replaceStableExampleComV1NamespacedCronTabScale'],
  ];
  for (const [path, method, action, id] of cases) {
    test(`${method} ${path} is ${id}`, () => {
      const operation = cronTabs.paths[path]?.[method];
      assert.equal(operation?.operationId, id);
      assert.equal(operation?.['x-kubernetes-action'], action);
      const isScale = path.endsWith('scale');
      assert.deepEqual(
        operation?.['x-kubernetes-group-version-kind'],
        isScale
          ? { group: 'autoscaling', version: 'v1', kind: 'Scale' }
          : { group: 'stable.example.com', version: 'v1', kind: 'CronTab' },
      );
    });
  }

  test('there are no more than those', () => assert.equal(Object.keys(cronTabs.paths).length, 5));

  test('operation ids are unique', () => {
    for (const { paths } of [core, cronTabs, documentOf('authorization.k8s.io', 'v1')]) {
      const ids = Object.values(paths).flatMap(item =>
        Object.values(item)
          .map(({ operationId }) => operationId)
          .filter(Boolean),
      );
      assert.equal(new Set(ids).size, ids.length);
    }
  });

  test('writes take dryRun and fieldValidation', () => {
    const item = cronTabs.paths[`${collection}/{name}`];
    for (const operation of [cronTabs.paths[collection]?.post, item?.put, item?.patch]) {
      const names = operation?.parameters.map(({ name }) => name) ?? [];
      assert.ok(
        ['dryRun', 'fieldManager', 'fieldValidation'].every(name => names.includes(name)),
        String(operation?.operationId),
      );
    }
  });

  test('strategic merge is offered only by kinds that take it', () => {
    const strategic = 'application/strategic-merge-patch+json';
    const types = (document: Document, path: string) =>
      Object.keys(document.paths[path]?.patch?.requestBody?.content ?? {});
    assert.equal(types(core, '/api/v1/namespaces/{name}').includes(strategic), true);
    assert.deepEqual(types(cronTabs, `${collection}/{name}`), [
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
    ]);
  });

  test('a kind without deletecollection has no such operation', () => {
    assert.equal(core.paths['/api/v1/namespaces']?.delete, undefined);
  });

  test('sub-resources have the methods of their verbs', () => {
    const methods = (path: string) => Object.keys(core.paths[path] ?? {}).filter(key => key !== 'parameters');
    assert.deepEqual(methods('/api/v1/namespaces/{name}/finalize'), ['put']);
    assert.deepEqual(methods('/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token'), ['post']);
    assert.deepEqual(methods('/api/v1/namespaces/{namespace}/pods/{name}/log'), ['get']);
  });

  test('kubectl finds fieldValidation even for reviews', () => {
    const reviews = documentOf('authorization.k8s.io', 'v1').paths[
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
    ];
    assert.ok(reviews?.patch?.parameters.some(({ name }) => name === 'fieldValidation'));
    assert.deepEqual(Object.keys(reviews?.patch?.responses ?? {}), ['405']);
  });
});

describe('schemas', () => {
  test('are named as Kubernetes names them', () => {
    const names: readonly [string, string, string, string][] = [
      ['', 'v1', 'Pod', 'io.k8s.api.core.v1.Pod'],
      ['apps', 'v1', 'Deployment', 'io.k8s.api.apps.v1.Deployment'],
      ['rbac.authorization.k8s.io', 'v1', 'Role', 'io.k8s.api.rbac.v1.Role'],
      [
        'apiextensions.k8s.io',
        'v1',
        'CustomResourceDefinition',
        'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
      ],
      ['stable.example.com', 'v1', 'CronTab', 'com.example.stable.v1.CronTab'],
    ];
    for (const [group, version, kind, expected] of names) assert.equal(schemaName({ group, version, kind }), expected);
  });

  test('carry their kind as an array', () => {
    assert.deepEqual(cronTab?.['x-kubernetes-group-version-kind'], [
      { group: 'stable.example.com', version: 'v1', kind: 'CronTab' },
    ]);
    assert.deepEqual(
      cronTabs.components.schemas['com.example.stable.v1.CronTabList']?.['x-kubernetes-group-version-kind'],
      [{ group: 'stable.example.com', version: 'v1', kind: 'CronTabList' }],
    );
  });

  test('keep what the declaration says', () => {
    const declared = cronTabKind.versions[0]?.schema.properties?.spec?.properties ?? {};
    for (const name of ['cronSpec', 'replicas', 'mode', 'port', 'free', 'steps', 'env']) {
      assert.deepEqual(cronTab?.properties.spec?.properties[name], declared[name], name);
    }
    assert.deepEqual(cronTab?.required, ['spec']);
  });

  test('refer to shared metadata, in embedded resources too', () => {
    const reference = [{ $ref: `#/components/schemas/${metaSchemaName('ObjectMeta')}` }];
    assert.deepEqual(cronTab?.properties.metadata?.allOf, reference);
    assert.deepEqual(cronTab?.properties.spec?.properties.template?.properties.metadata?.allOf, reference);
  });

  test('describe how strategic merge treats lists', () => {
    const secrets = core.components.schemas['io.k8s.api.core.v1.ServiceAccount']?.properties.secrets;
    assert.equal(secrets?.['x-kubernetes-patch-strategy'], 'merge');
    assert.equal(secrets?.['x-kubernetes-patch-merge-key'], 'name');
    assert.equal('x-kubernetes-patch-strategy' in (cronTab?.properties.spec?.properties.steps ?? {}), false);
  });

  test('of built-in kinds name numbers with units as Kubernetes does, custom ones stay as declared', () => {
    const ports = {
      type: 'object',
      properties: { port: { 'x-kubernetes-int-or-string': true, description: 'Where.' } },
    } as const;
    const kinds = kindSource([{ ...lateKind, allowsStrategicMerge: true, versions: [{ name: 'v1', schema: ports }] }]);
    const late = parse<Document>(documents.groupVersion(kinds, 'a.example.com', 'v1')).components.schemas[
      'com.example.a.v1.Late'
    ];
    assert.deepEqual(late?.properties.port, {
      'x-kubernetes-int-or-string': true,
      description: 'Where.',
      allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.util.intstr.IntOrString' }],
    });
  });

  test('are joined from parts that are rendered once for each kind', async () => {
    const { schemas } = cronTabs.components;
    let reads = 0;
    const [version] = cronTabKind.versions;
    const counted = {
      ...cronTabKind,
      versions: [
        {
          ...(version as NonNullable<typeof version>),
          get schema() {
            reads++;
            return (version as NonNullable<typeof version>).schema;
          },
        },
      ],
    } as KindDeclaration;
    const alone = kindSource([counted]);
    const { group } = counted;
    await documents.prepare(alone, group, 'v1');
    assert.deepEqual(
      parse<Document>(documents.groupVersion(alone, group, 'v1')).components.schemas['com.example.stable.v1.CronTab'],
      schemas['com.example.stable.v1.CronTab'],
    );
    const readsBefore = reads;
    const together = kindSource([counted, { ...lateKind, group }]);
    documents.groupVersion(together, group, 'v1');
    assert.equal(reads - readsBefore, 1, 'only the catalogue reads an unchanged kind again');
  });

  test('leave no reference open', () => {
    const kinds = kindSource([namespaceKind, serviceAccountKind, podKind, deploymentKind, cronTabKind]);
    for (const [group, version] of [...kinds.groups()].flatMap(([name, versions]) =>
      versions.map(v => [name, v] as const),
    )) {
      const found = documents.groupVersion(kinds, group, version);
      const { components } = parse<Document>(found);
      const references = found?.body.toString().matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g) ?? [];
      for (const [, name = ''] of references) assert.ok(name in components.schemas, name);
    }
  });
});
