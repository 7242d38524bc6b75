import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestLandscape, type TestLandscape } from '@chandlery/testing';

interface LegacyResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

interface AggregatedResource {
  readonly resource: string;
  readonly singularResource: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly responseKind: { readonly kind: string };
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

interface AggregatedGroups {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources: readonly AggregatedResource[] }[];
  }[];
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';

describe('everything that discovery names is there', () => {
  let landscape: TestLandscape;
  const base = '/clusters/onboarding';
  before(async () => {
    landscape = await startTestLandscape();
  });
  after(() => landscape[Symbol.asyncDispose]());

  async function read<T>(path: string, accept = 'application/json'): Promise<T> {
    const answer = await landscape.request(base + path, { headers: { accept } });
    assert.equal(answer.status, 200, `${path}: ${answer.text}`);
    return answer.json<T>();
  }

  /** The path of each group version, with its resources as aggregated discovery shows them. */
  async function groupVersions(): Promise<Map<string, readonly AggregatedResource[]>> {
    const core = await read<AggregatedGroups>('/api', aggregated);
    const named = await read<AggregatedGroups>('/apis', aggregated);
    const entries = [...core.items, ...named.items].flatMap(({ metadata, versions }) =>
      versions.map(({ version, resources }) => {
        const { name = '' } = metadata;
        return [name === '' ? `/api/${version}` : `/apis/${name}/${version}`, resources] as const;
      }),
    );
    return new Map(entries);
  }

  test('both forms of discovery say the same', async () => {
    for (const [path, resources] of await groupVersions()) {
      const legacy = await read<{ resources: LegacyResource[] }>(path);
      const main = legacy.resources.filter(({ name }) => !name.includes('/'));
      assert.deepEqual(
        main.map(resource => ({ ...resource, group: undefined, version: undefined, storageVersionHash: undefined })),
        resources.map(resource => ({
          name: resource.resource,
          singularName: resource.singularResource,
          namespaced: resource.scope === 'Namespaced',
          kind: resource.responseKind.kind,
          verbs: resource.verbs,
          ...(resource.shortNames === undefined ? {} : { shortNames: resource.shortNames }),
          ...(resource.categories === undefined ? {} : { categories: resource.categories }),
          group: undefined,
          version: undefined,
          storageVersionHash: undefined,
        })),
        path,
      );
      const below = legacy.resources.filter(({ name }) => name.includes('/')).map(({ name }) => name);
      const subresources = resources.flatMap(resource =>
        (resource.subresources ?? []).map(({ subresource }) => `${resource.resource}/${subresource}`),
      );
      assert.deepEqual(below.sort(), subresources.sort(), path);
    }
  });

  test('what can be listed answers as a list and as a table', async () => {
    for (const [path, resources] of await groupVersions()) {
      for (const { resource, responseKind, verbs } of resources.filter(one => one.verbs.includes('list'))) {
        const list = await read<{ kind: string; items: unknown[] }>(`${path}/${resource}`);
        assert.equal(list.kind, `${responseKind.kind}List`);
        assert.ok(Array.isArray(list.items));
        const shown = await read<{ kind: string; columnDefinitions: { name: string }[] }>(`${path}/${resource}`, table);
        assert.equal(shown.kind, 'Table', resource);
        // Events begin with when they were seen, as in Kubernetes.
        if (resource !== 'events') assert.equal(shown.columnDefinitions[0]?.name, 'Name', resource);
        // Metrics are made when they are read, as those of Kubernetes are.
        const isMetric = path.startsWith('/apis/metrics.');
        assert.ok(isMetric || verbs.includes('watch'), `${resource} can be listed but not watched`);
      }
    }
  });

  test('OpenAPI describes every group version, with what kubectl looks for', async () => {
    const { paths } = await read<{ paths: Record<string, { serverRelativeURL: string }> }>('/openapi/v3');
    for (const [path, resources] of await groupVersions()) {
      const entry = paths[path.slice(1)];
      assert.ok(entry !== undefined, path);
      const document = await read<{ openapi: string; paths: Record<string, Record<string, Operation>> }>(
        entry.serverRelativeURL.replace(/^\/clusters\/[^/]+/, ''),
      );
      assert.match(document.openapi, /^3\.0/);
      for (const { resource, scope, verbs } of resources.filter(one => one.verbs.includes('patch'))) {
        const place = scope === 'Namespaced' ? `${path}/namespaces/{namespace}` : path;
        const patch = document.paths[`${place}/${resource}/{name}`]?.patch;
        const names = (patch?.parameters ?? []).map(parameter => parameter.name);
        assert.deepEqual(
          ['dryRun', 'fieldValidation'].filter(name => !names.includes(name)),
          [],
          `${path} ${resource}`,
        );
        assert.ok(verbs.includes('create') === (document.paths[`${place}/${resource}`]?.post !== undefined), resource);
      }
    }
  });

  test('what is not there is a Status, with details for clients that look into it', async () => {
    for (const path of [
      '/nonsense',
      '/api/v2',
      '/apis/none',
      '/apis/none/v1',
      '/api/v1/nonsense',
      '/openapi/v3/api/v2',
    ]) {
      const answer = await landscape.request(base + path);
      assert.equal(answer.status, 404, path);
      const { kind, reason, details } = answer.json<{ kind: string; reason: string; details: object }>();
      assert.deepEqual([kind, reason, typeof details], ['Status', 'NotFound', 'object'], path);
    }
  });
});

interface Operation {
  readonly parameters?: readonly { readonly name?: string }[];
}
