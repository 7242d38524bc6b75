import { defineKind, isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { silentLogger } from '@chandlery/platform';
import { installKinds } from '@chandlery/runtime';
import { startTestPlane, type TestPlane } from '@chandlery/testing';
import { Type } from 'typebox';
import type { ClusterConnection } from '../objects/cluster-connection.ts';
import type { OwnerInfo } from '../objects/managed-objects.ts';
import { createSyncer } from './create-syncer.ts';
import type { SyncContext, SyncDefinition, Syncer, SyncerOptions } from './syncer.ts';

export const never = new AbortController().signal;

export const certificates = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Certificate',
  description: 'A certificate for a host.',
  spec: Type.Object({
    host: Type.String(),
    secretName: Type.Optional(Type.String()),
    caSecretName: Type.Optional(Type.String()),
    days: Type.Optional(Type.Integer({ default: 90 })),
  }),
  status: Type.Object({
    phase: Type.Optional(Type.String()),
    observedGeneration: Type.Optional(Type.Integer()),
    conditions: Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true }))),
  }),
});

const secrets = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' };
type Spec = { secretName?: string; caSecretName?: string };

/** Certificates with the Secret that their service creates, and the Secret with the authority of the tenant. */
export const definition: SyncDefinition = {
  kind: certificates,
  related: [
    {
      name: 'certificate',
      from: 'workload',
      ref: secrets,
      locate: copy => inSameNamespace(copy, (copy['spec'] as Spec).secretName),
    },
    {
      name: 'authority',
      from: 'mcp',
      ref: secrets,
      locate: source => inSameNamespace(source, (source['spec'] as Spec).caSecretName),
    },
  ],
};

const inSameNamespace = ({ metadata }: KubeObject, name: string | undefined) =>
  name === undefined ? undefined : { namespace: metadata.namespace ?? '', name };

export const certificateRef = (namespace: string, name: string): ObjectRef => ({
  ...certificates.ref,
  namespace,
  name,
});
export const secretRef = (namespace: string, name: string): ObjectRef => ({
  group: '',
  version: 'v1',
  plural: 'secrets',
  namespace,
  name,
});

export const certificate = (name: string, spec: object = {}): KubeObject => ({
  apiVersion: 'example.org/v1',
  kind: 'Certificate',
  metadata: { name, namespace: 'default' },
  spec: { host: `${name}.example.org`, ...spec },
});

export const secret = (namespace: string, name: string, text: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  data: { key: Buffer.from(text).toString('base64') },
});

/** Reads an object; undefined when it does not exist. */
export const find = (client: Client, ref: ObjectRef): Promise<KubeObject | undefined> =>
  client.get(ref).catch((error: unknown) => {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  });

/** An owner with its control plane. */
export interface Tenant {
  readonly owner: OwnerInfo;
  readonly context: SyncContext;
  readonly mcp: Client;
  readonly connections: { readonly mcp: ClusterConnection; readonly workload: ClusterConnection };
  /** Copies of the owner. */
  copies(): Promise<readonly KubeObject[]>;
}

export interface SyncFixture extends AsyncDisposable {
  readonly plane: TestPlane;
  readonly workload: Client;
  readonly syncer: Syncer;
  /** Keys passed to `onChange`. */
  readonly told: string[];
  readonly repaired: string[];
  /** A tenant with a control plane and a namespace on the workload cluster, engaged by default. */
  tenant(name: string, options?: { isEngaged?: boolean }): Promise<Tenant>;
  /** Stops the syncer and starts another one, as after a crash; engages the tenants. */
  restart(...tenants: readonly Tenant[]): Promise<Syncer>;
}

/** A workload cluster and a syncer. */
export async function startSyncFixture(options: Partial<SyncerOptions> = {}): Promise<SyncFixture> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane({ clusters: ['workload'] }));
  const workload = plane.connect('workload');
  await installKinds(workload, [certificates.crd], { fieldManager: 'test' });
  const [told, repaired]: [string[], string[]] = [[], []];
  const create = (): Syncer =>
    createSyncer({
      definitions: [definition],
      provider: 'foo',
      onChange: key => told.push(key),
      logger: silentLogger,
      metrics: { onRepaired: kind => repaired.push(kind) },
      backOff: { baseMs: 5, maxMs: 200 },
      ...options,
    });
  let syncer = create();
  const all = stack.move();
  const engage = ({ owner, connections, context }: Tenant): void => syncer.engage(owner, connections, context);
  return {
    plane,
    workload,
    told,
    repaired,
    get syncer() {
      return syncer;
    },
    tenant: async (name, { isEngaged = true } = {}) => {
      const tenant = await createTenant(plane, workload, name);
      if (isEngaged) engage(tenant);
      return tenant;
    },
    restart: async (...tenants) => {
      await syncer[Symbol.asyncDispose]();
      syncer = create();
      for (const tenant of tenants) engage(tenant);
      return syncer;
    },
    [Symbol.asyncDispose]: async () => {
      await syncer[Symbol.asyncDispose]();
      await all.disposeAsync();
    },
  };
}

async function createTenant(plane: TestPlane, workload: Client, name: string): Promise<Tenant> {
  const mcp = await plane.createCluster(`mcp-${name}`);
  await installKinds(mcp, [certificates.crd], { fieldManager: 'test' });
  const instanceNamespace = `foo-${name}`;
  const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: instanceNamespace } };
  await workload.create({ group: '', version: 'v1', plural: 'namespaces' }, namespace);
  return {
    owner: { key: `project/${name}`, instanceId: name, kind: 'Foo' },
    context: { provider: 'foo', instanceId: name, instanceNamespace },
    mcp,
    connections: {
      mcp: { id: `mcp-${name}`, client: mcp, kubeconfig: '' },
      workload: { id: 'workload', client: workload, kubeconfig: '' },
    },
    copies: async () => (await workload.list({ ...certificates.ref, namespace: instanceNamespace })).items,
  };
}
