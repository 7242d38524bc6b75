import type { KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { accessRequests, clusterRequests, clusters } from '@chandlery/clusters/kinds';
import { silentLogger } from '@chandlery/platform';
import { installKinds, SharedInformers } from '@chandlery/runtime';
import { eventually, startTestPlane, type TestPlane } from '@chandlery/testing';
import { tenantPorts } from '../../adapters/tenant-ports.ts';
import * as providerKinds from '../../kinds/index.ts';
import { startTenants } from './start-tenants.ts';
import { ScriptedClusters } from './test-clusters.ts';

const {
  serviceProviders,
  controlPlaneConfigs,
  projects,
  workspaces,
  projectWorkspaceConfigs,
  controlPlanes,
  retainedServices,
  components,
  componentBindings,
} = providerKinds;

/** A service that tenants can have. */
export const foos = { group: 'foo.services.open-control-plane.io', version: 'v1alpha1', plural: 'foos' };

/** Tenants on a control plane in this process, with scripted clusters and access. */
export interface TestTenants extends AsyncDisposable {
  readonly plane: TestPlane;
  readonly platform: Client;
  readonly onboarding: Client;
  readonly clusters: ScriptedClusters;
  /** Stops the controllers, as at the end of their process, and starts others. */
  restart(): Promise<void>;
  /** A client of the onboarding cluster. */
  as(username: string, ...groups: string[]): Client;
}

/** Starts it: `await using tenants = await startTestTenants()`. */
export async function startTestTenants(): Promise<TestTenants> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane());
  const [platform, onboarding] = [plane.connect('platform'), plane.client];
  const fieldManager = 'test';
  const onPlatform = [clusters, clusterRequests, accessRequests, serviceProviders, controlPlaneConfigs];
  const tenantKinds = [projects, workspaces, projectWorkspaceConfigs, components, componentBindings];
  const onOnboarding = [...tenantKinds, controlPlanes, retainedServices];
  await installKinds(
    platform,
    onPlatform.map(({ crd }) => crd),
    { fieldManager },
  );
  await installKinds(
    onboarding,
    onOnboarding.map(({ crd }) => crd),
    { fieldManager },
  );
  const scripted = stack.use(new ScriptedClusters(platform));
  let running = await startControllers(platform, onboarding);
  stack.defer(() => running[Symbol.asyncDispose]());
  const all = stack.move();
  return {
    plane,
    platform,
    onboarding,
    clusters: scripted,
    restart: async () => {
      await running[Symbol.asyncDispose]();
      running = await startControllers(platform, onboarding);
    },
    as: (username, ...groups) => plane.connect('onboarding', { username, groups: ['system:authenticated', ...groups] }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function startControllers(platform: Client, onboarding: Client): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const informers = stack.use(new SharedInformers());
  const tenantClusters = { url: 'https://landscape.test', base: 'onboarding' };
  stack.use(
    await startTenants({ ports: tenantPorts, platform, onboarding, informers, tenantClusters, logger: silentLogger }),
  );
  const all = stack.move();
  return { [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** A provider that serves Foo to tenants. By default each Foo uses the control plane of its name. */
export async function offerFoos(
  { platform, onboarding }: TestTenants,
  claim: { readonly usesControlPlane?: boolean } = { usesControlPlane: true },
): Promise<void> {
  await installKinds(onboarding, [fooCrd], { fieldManager: 'test' });
  const { group, version } = foos;
  const provider = await platform.create(
    serviceProviders.ref,
    serviceProviders.object({ name: 'foo' }, { image: 'foo' } as never),
  );
  const status = { resources: [{ group, version, kind: 'Foo', ...claim }] };
  await platform.update({ ...serviceProviders.ref, name: 'foo', subresource: 'status' }, { ...provider, status });
}

export const foo = (namespace: string, name: string): KubeObject => ({
  apiVersion: `${foos.group}/${foos.version}`,
  kind: 'Foo',
  metadata: { name, namespace, finalizers: ['example.com/foo'] },
});

/** What the provider of a Foo does at its deletion. */
export async function releaseFoo(onboarding: Client, ref: ObjectRef): Promise<void> {
  await onboarding.patch(ref, { type: 'merge', body: { metadata: { finalizers: [] } } });
}

/** True when the object does not exist. */
export async function isGone(client: Client, ref: ObjectRef): Promise<boolean> {
  return client.get(ref).then(
    () => false,
    (error: { code?: string }) => error.code === 'NotFound',
  );
}

/** Waits until a condition has the status, and returns the object. */
export function untilCondition<T extends KubeObject>(
  client: Client,
  ref: ObjectRef,
  wanted: { readonly type: string; readonly status: string; readonly reason?: string },
): Promise<T> {
  const what = `${ref.plural} "${ref.name}" to be ${JSON.stringify(wanted)}`;
  return eventually(
    async () => {
      const object = await client.get<T>(ref);
      const { conditions = [] } = (object['status'] ?? {}) as { conditions?: Record<string, string>[] };
      const holds = conditions.some(condition =>
        Object.entries(wanted).every(([key, value]) => condition[key] === value),
      );
      return holds && object;
    },
    { what },
  );
}

const fooCrd: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${foos.plural}.${foos.group}` },
  spec: {
    group: foos.group,
    scope: 'Namespaced',
    names: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' },
    versions: [{ name: foos.version, served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
