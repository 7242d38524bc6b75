import { ChandleryError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import * as clusterKinds from '@chandlery/clusters/kinds';
import { createKernelClient, Kernel, openStore, soleLeader } from '@chandlery/kernel';
import { silentLogger } from '@chandlery/platform';
import { startProviders } from '@chandlery/providers';
import {
  type ComponentBinding,
  componentBindings,
  projects,
  serviceProviders,
  type Tenant,
} from '@chandlery/providers/kinds';
import { installKinds } from '@chandlery/runtime';
import { tempFolder } from '@chandlery/testing';

/** A kernel with the controllers of tenants and some providers, in this process. */
export interface TenantsWorld extends AsyncDisposable {
  createTenants(names: readonly string[]): Promise<void>;
  /** Binds every component for each tenant and waits until all are bound. */
  bindAll(names: readonly string[]): Promise<void>;
  /** Asks the API of each tenant for its kinds, as a first request does. */
  useAll(names: readonly string[]): Promise<void>;
  /** Changes the schema of a shared definition; resolves to what it says now. */
  changeDefinition(): Promise<string>;
  /** Resolves when the API of a tenant serves the definition as changed. */
  untilServed(tenant: string, description: string): Promise<void>;
}

const cipher = { encrypt: (bytes: Uint8Array) => bytes, decrypt: (bytes: Uint8Array) => bytes };
const definitions = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const atOnce = 16;

/** Starts it with so many components. */
export async function startTenantsWorld(components: number): Promise<TenantsWorld> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const store = stack.use(await openStore({ type: 'sqlite', folder: folder.path }));
  const kernel = new Kernel({ store, cipher, leadership: soleLeader, onFailure: () => undefined });
  stack.use(kernel);
  await kernel.start();
  const [platform, onboarding] = ['platform', 'onboarding'].map(cluster => createKernelClient(kernel, { cluster }));
  if (platform === undefined || onboarding === undefined) throw new TypeError('two clusters have two clients');
  stack.use(platform);
  stack.use(onboarding);
  const { clusters, clusterProfiles, clusterRequests, accessRequests } = clusterKinds;
  const onPlatform = [clusters, clusterProfiles, clusterRequests, accessRequests].map(({ crd }) => crd);
  await installKinds(platform, onPlatform, { fieldManager: 'bench' });
  const tenantClusters = { url: 'https://landscape.test', base: 'onboarding' };
  stack.use(await startProviders({ platform, onboarding, tenantClusters, logger: silentLogger }));
  const names = Array.from({ length: components }, (_, index) => `service${index}`);
  for (const name of names) await offer(platform, onboarding, name);
  const all = stack.move();
  return { ...worldOf(kernel, onboarding, names), [Symbol.asyncDispose]: () => all.disposeAsync() };
}

function worldOf(
  kernel: Kernel,
  onboarding: Client,
  components: readonly string[],
): Omit<TenantsWorld, keyof AsyncDisposable> {
  let change = 0;
  const kindsOf = async (tenant: string) => {
    const view = await kernel.views.find(tenant);
    if (view === undefined) throw new ChandleryError('NotFound', `tenant ${tenant} has no API of its own`);
    return view.kindsOf(await kernel.registry.of(view.base));
  };
  return {
    createTenants: async names => {
      await inGroups(names, name =>
        onboarding.create(projects.ref, projects.object({ name }, { members: [owner(name)] })),
      );
      await inGroups(names, name => untilPhase<Tenant>(onboarding, { ...projects.ref, name }, 'Ready'));
    },
    bindAll: async names => {
      const wanted = names.flatMap(name => components.map(component => ({ component, namespace: `project-${name}` })));
      await inGroups(wanted, ({ component, namespace }) =>
        onboarding.create(
          { ...componentBindings.ref, namespace },
          componentBindings.object({ name: component, namespace }, { component }),
        ),
      );
      await inGroups(wanted, ({ component, namespace }) =>
        untilPhase<ComponentBinding>(onboarding, { ...componentBindings.ref, namespace, name: component }, 'Bound'),
      );
    },
    useAll: names => inGroups(names, kindsOf),
    changeDefinition: async () => {
      const description = `change ${++change}`;
      const crd = definitionOf(components[0] ?? '', description);
      await onboarding.patch(
        { ...definitions, name: crd.metadata.name ?? '' },
        { type: 'apply', body: crd, force: true },
        { fieldManager: 'bench' },
      );
      return description;
    },
    untilServed: async (tenant, description) => {
      const resource = `${groupOf(components[0] ?? '')}/orders`;
      const isServed = async () =>
        (await kindsOf(tenant)).get(resource)?.kind.storageVersion.declaration.schema.description === description;
      while (!(await isServed())) await kernel.feed.reachedWithin(await kernel.store.currentRevision(), 1000);
    },
  };
}

const owner = (tenant: string) => ({ kind: 'User' as const, name: `owner-of-${tenant}`, roles: ['admin' as const] });
const groupOf = (service: string): string => `${service}.bench.example.com`;

function definitionOf(service: string, description: string): KubeObject {
  const group = groupOf(service);
  const fields = Array.from(
    { length: 30 },
    (_, index) => [`field${index}`, { type: 'string', description: `Field ${index}` }] as const,
  );
  const schema = {
    type: 'object',
    description,
    properties: { spec: { type: 'object', properties: Object.fromEntries(fields) } },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `orders.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'orders', singular: 'order', kind: 'Order', listKind: 'OrderList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

/** A provider without a process: it declares which kind it serves. */
async function offer(platform: Client, onboarding: Client, name: string): Promise<void> {
  await installKinds(onboarding, [definitionOf(name, 'An order.')], { fieldManager: 'bench' });
  const annotations = { 'openmcp.cloud/operation': 'ignore' };
  const spec = { image: 'none' } as Parameters<typeof serviceProviders.object>[1];
  await platform.create(serviceProviders.ref, serviceProviders.object({ name, annotations }, spec));
  const status = { resources: [{ group: groupOf(name), version: 'v1', kind: 'Order' }] };
  const ref = { ...serviceProviders.ref, name, subresource: 'status' as const };
  await platform.patch(ref, { type: 'merge', body: { status } });
}

/** Does the work for all, some at a time. */
async function inGroups<T>(all: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const rest = all[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

const pauseMs = 5;

async function untilPhase<T extends KubeObject & { status?: { phase?: string } }>(
  client: Client,
  ref: Parameters<Client['get']>[0],
  phase: string,
): Promise<void> {
  while ((await client.get<T>(ref)).status?.phase !== phase)
    await new Promise(resolve => void setTimeout(resolve, pauseMs));
}
