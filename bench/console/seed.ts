import type { KubeObject } from '@chandlery/api';
import type { AtomicClient, ResourceRef } from '@chandlery/client';
import { openDataFolder } from '../../test/scenarios/many-instances/support/open-data-folder.ts';

export const group = 'bench.chandlery.io';
export const cluster = 'onboarding';
export const version = 'v1';
/** The kinds of the bench: many objects, few, and what a trace leads through. */
export const kinds = { many: 'Widget', few: 'Gadget', part: 'Part' } as const;
export const pluralOf = (kind: string): string => `${kind.toLowerCase()}s`;
export const namespaces: readonly string[] = Array.from({ length: 20 }, (_, at) => `team-${at}`);
/** Where the traced trees are. */
export const treeNamespace = 'team-0';

/** The definition of a kind with columns, as users have them. */
export const definitionOf = (kind: string): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${pluralOf(kind)}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: pluralOf(kind), singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Region', type: 'string', jsonPath: '.spec.region' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});

const batchSize = 500;
const regions = ['eu-1', 'eu-2', 'us-1', 'ap-1'];

export const refOf = (kind: string, namespace: string): ResourceRef => ({
  group,
  version,
  plural: pluralOf(kind),
  namespace,
});

export const nameOf = (number: number): string => `object-${String(number).padStart(6, '0')}`;
export const namespaceOf = (number: number): string => namespaces[number % namespaces.length] ?? '';

/** A condition of most objects that are well, of one in fifty that has failed and one in fifty that waits. */
export function statusOf(number: number, round = 0): object {
  const at = (number + round) % 50;
  const [status, reason] = at === 0 ? ['False', 'PullFailed'] : at === 1 ? ['False', 'Waiting'] : ['True', 'Running'];
  const condition = {
    type: 'Ready',
    status,
    reason,
    message: `round ${round}`,
    lastTransitionTime: '2026-11-01T00:00:00Z',
  };
  return { observedGeneration: 1, conditions: [condition] };
}

const objectOf = (kind: string, number: number): KubeObject => ({
  apiVersion: `${group}/${version}`,
  kind,
  metadata: {
    name: nameOf(number),
    labels: { 'app.kubernetes.io/name': `app-${number % 100}`, 'bench.chandlery.io/tier': `tier-${number % 5}` },
    annotations: { 'bench.chandlery.io/note': `what people write about object ${number}, a sentence or so` },
  },
  spec: {
    size: number % 1000,
    region: regions[number % regions.length],
    image: `registry.example.com/app:${number % 30}`,
  },
  status: statusOf(number),
});

/** Fills the data folder of a landscape that does not run: objects of a kind, and trees of parts. */
export async function seed(
  dataDir: string,
  {
    objects,
    trees,
  }: { readonly objects: Readonly<Record<string, number>>; readonly trees: Readonly<Record<string, number>> },
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const client = await openDataFolder(dataDir, { cluster, kinds: [] }, stack);
  for (const [kind, count] of Object.entries(objects)) await writeObjects(client, kind, count);
  for (const [name, count] of Object.entries(trees)) await writeTree(client, name, count);
}

async function writeObjects(client: AtomicClient, kind: string, count: number): Promise<void> {
  for (let start = 0; start < count; start += batchSize) {
    const numbers = Array.from({ length: Math.min(batchSize, count - start) }, (_, at) => start + at);
    await client.commit(
      numbers.map(number => ({
        type: 'create',
        ref: refOf(kind, namespaceOf(number)),
        object: objectOf(kind, number),
      })),
    );
  }
}

/** Levels of about equally many children each: a root, its children, and theirs. */
async function writeTree(client: AtomicClient, name: string, count: number): Promise<void> {
  const ref = refOf(kinds.part, treeNamespace);
  const create = async (parts: readonly KubeObject[]): Promise<KubeObject[]> => {
    const made: KubeObject[] = [];
    for (let start = 0; start < parts.length; start += batchSize) {
      const batch = parts.slice(start, start + batchSize);
      const results = await client.commit(batch.map(object => ({ type: 'create', ref, object })));
      made.push(...(results as KubeObject[]));
    }
    return made;
  };
  const part = (own: string, at: number, owner?: KubeObject): KubeObject => {
    const { metadata, ...rest } = objectOf(kinds.part, at);
    const { uid = '', name: ownerName = '' } = owner?.metadata ?? {};
    const ownerReferences = [{ apiVersion: `${group}/${version}`, kind: kinds.part, name: ownerName, uid }];
    return { ...rest, metadata: { ...metadata, name: own, ...(owner && { ownerReferences }) } };
  };
  const [root] = await create([part(name, 2)]);
  if (root === undefined) return;
  const width = Math.max(1, Math.round(Math.sqrt(count)));
  const middle = await create(Array.from({ length: width }, (_, at) => part(`${name}-${at}`, at, root)));
  const leaves = Math.max(0, count - width - 1);
  await create(Array.from({ length: leaves }, (_, at) => part(`${name}-leaf-${at}`, at, middle[at % middle.length])));
}
