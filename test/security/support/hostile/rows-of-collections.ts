import { create, createCluster, expectStatus, groupPath, namespace } from '../objects.ts';
import { definitionOf } from './definitions.ts';
import { core, custom, fields, type HostileRow, requestRow, thing, times } from './hostile-row.ts';
import { cluster, type HostileWorld } from './hostile-world.ts';

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const metadata = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' };
const encoded = (name: string, text: string): string => `${name}=${encodeURIComponent(text)}`;
const services = `${core}/services`;
const mapsOf = (size: number, what = 'many'): string =>
  `/clusters/${cluster}/api/v1/namespaces/${what}-${size}/configmaps`;

/** Several at a time: making them is not what is measured. */
async function each(count: number, make: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await make(index);
  };
  await Promise.all(times(16, work));
}

async function makeNamespace({ tenant }: HostileWorld, name: string): Promise<void> {
  const answer = await tenant.send(`/clusters/${cluster}/api/v1/namespaces`, { body: namespace(name) });
  if (answer.status !== 409) expectStatus(answer, 201);
}

/** So many ConfigMaps in a namespace of their own; made once for all rows. */
async function fillCollection(world: HostileWorld, size: number): Promise<void> {
  await makeNamespace(world, `many-${size}`);
  await each(size, async index => {
    const body = {
      metadata: { name: `map-${index}`, labels: { shard: String(index % 7) } },
      data: { a: 'x'.repeat(200) },
    };
    const answer = await world.tenant.send(mapsOf(size), { body });
    if (answer.status !== 409) expectStatus(answer, 201);
  });
}

/** A request on a collection of so many objects. */
const collectionRow = (
  what: string,
  query: string,
  options: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): HostileRow => ({
  ...requestRow(what, 150, size => ({ path: `${mapsOf(size)}?${query}`, ...options }), [200]),
  prepare: fillCollection,
});

/** A write into a namespace that so many watch, none of whom it concerns. */
const watchedRow: HostileRow = {
  what: 'a write beside many watches with other selectors',
  size: 15,
  codes: [201],
  prepare: async (world, size) => {
    await makeNamespace(world, `watched-${size}`);
    for (let index = 0; index < size; index++) {
      const query = `watch=true&${encoded('labelSelector', `a in (${times(50, at => `v${index}-${at}`).join()})`)}`;
      const { statusCode } = await world.tenant.open(`${mapsOf(size, 'watched')}?${query}`);
      if (statusCode !== 200) throw new Error(`a watch got ${statusCode}`);
    }
  },
  send: ({ tenant }, size) =>
    tenant.send(mapsOf(size, 'watched'), { body: { metadata: { generateName: 'm-', labels: { a: 'other' } } } }),
};

/** A document about so many kinds, after one of them has changed. */
const documentRow = (what: string, path: string, headers: Readonly<Record<string, string>> = {}): HostileRow => {
  let changes = 0;
  const clusterOf = (size: number): string => `kinds-${size}`;
  const crds = (size: number): string =>
    groupPath(clusterOf(size), 'apiextensions.k8s.io/v1/customresourcedefinitions');
  return {
    what,
    size: 15,
    codes: [200],
    prepare: async ({ admin }, size) => {
      const existing = await admin.send(`${crds(size)}?limit=1`);
      if (existing.status === 200) return;
      await createCluster(admin, clusterOf(size));
      const schema = {
        type: 'object',
        properties: fields(20, () => ({ type: 'string', description: 'x'.repeat(100) })),
      };
      await each(size, index => create(admin, crds(size), definitionOf(`kinds${index}`, `Kind${index}`, schema)));
    },
    send: async ({ admin }, size) => {
      const [version] = definitionOf('kinds0', 'Kind0', {
        type: 'object',
        properties: { [`changed${changes++}`]: { type: 'string' } },
      }).spec.versions;
      const changed = await admin.send(`${crds(size)}/kinds0.hostile.example.org`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { spec: { versions: [version] } },
      });
      expectStatus(changed, 200);
      return admin.send(`/clusters/${clusterOf(size)}${path}`, { headers });
    },
  };
};

const wideThing = (size: number): string => `deleted-${size}`;

/** Collections, watches, and documents about all kinds. */
export const collectionRows: readonly HostileRow[] = [
  collectionRow('a long list as a table', '', { headers: table }),
  collectionRow('a long list as metadata', '', { headers: metadata }),
  collectionRow('a long list in YAML', '', { headers: { accept: 'application/yaml' } }),
  collectionRow('a long list, indented', 'pretty=true'),
  collectionRow('a long list by labels', encoded('labelSelector', 'shard notin (1,2,3),shard!=4')),
  collectionRow(
    'a long list by many field terms',
    encoded('fieldSelector', times(200, i => `metadata.name!=map-${i}`).join()),
  ),
  collectionRow('deletion of a collection', 'dryRun=All', { method: 'DELETE' }),
  {
    ...requestRow('deletion of a wide object', 3000, size => ({
      path: `${custom}/things/${wideThing(size)}?dryRun=All`,
      method: 'DELETE',
    })),
    prepare: async ({ tenant }, size) =>
      void (await create(tenant, `${custom}/things`, thing({ any: fields(size, i => i) }, wideThing(size)))),
  },
  requestRow('a watch with many label terms', 60, size => ({
    path: `${services}?watch=true&timeoutSeconds=1&${encoded('labelSelector', times(size, i => `a${i}!=b`).join())}`,
  })),
  requestRow('a watch with many field terms', 40, size => ({
    path: `${services}?watch=true&timeoutSeconds=1&${encoded('fieldSelector', times(size, i => `metadata.name!=a${i}`).join())}`,
  })),
  watchedRow,
  documentRow('OpenAPI v3 of many kinds, after a change', '/openapi/v3/apis/hostile.example.org/v1'),
  documentRow('discovery of many kinds, after a change', '/apis/hostile.example.org/v1'),
  documentRow('aggregated discovery of many kinds, after a change', '/apis', {
    accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  }),
];
