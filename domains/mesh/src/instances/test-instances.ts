import { isError, type KindDeclaration, type KubeObject } from '@chandlery/api';
import { brokerKinds, type Listening, meshLabelsOfBinding, meshLabelsOfInstance } from '@chandlery/brokers/kinds';
import { type AtomicClient, type AtomicWrite } from '@chandlery/client';
import { eventually, startTestPlane, type TestPlane } from '@chandlery/testing';

const { instances, bindings } = brokerKinds;

/** Instances and bindings on any cluster, so that each test can have one of its own. */
const kinds: readonly KindDeclaration[] = [instances, bindings].map(({ declaration }) => {
  const { servedIn: _, ...everywhere } = declaration;
  return everywhere;
});

/** Starts a plane whose clusters have instances and bindings. */
export const startInstancePlane = (): Promise<TestPlane> => startTestPlane({ kinds });

/** An instance of a test. */
export interface TestInstance {
  readonly spec?: Partial<ReturnType<typeof instances.object>['spec']>;
  /** Default: nowhere. */
  readonly listens?: Listening;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Default true. */
  readonly isReady?: boolean;
}

/** A binding of a test. */
export interface TestBinding {
  readonly instanceId: string;
  /** Default: none. */
  readonly bindResource?: Readonly<Record<string, string>>;
  readonly context?: Readonly<Record<string, string>>;
  /** Default true. */
  readonly isReady?: boolean;
}

/** Writes instances and bindings as the service manager does: with their status. */
export class TestRecords {
  readonly client: AtomicClient;

  constructor(client: AtomicClient) {
    this.client = client;
  }

  async addTenant(name: string): Promise<void> {
    const ref = { group: '', version: 'v1', plural: 'namespaces' };
    await this.client.create(ref, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  putInstance(
    tenant: string,
    id: string,
    { spec = {}, listens, annotations, isReady: ready = true }: TestInstance,
  ): Promise<void> {
    const metadata = { name: id, namespace: tenant, ...(annotations && { annotations: { ...annotations } }) };
    const object = instances.object(metadata, spec);
    const status = { ready, ...(listens && { listens }) };
    return this.#put(instances.ref, labelled({ ...object, status }, meshLabelsOfInstance({ spec, status })));
  }

  putBinding(tenant: string, id: string, binding: TestBinding): Promise<void> {
    const { instanceId, bindResource, context, isReady: ready = true } = binding;
    const spec = { instanceId, ...(bindResource && { bindResource }) };
    const object = bindings.object({ name: id, namespace: tenant }, spec);
    const status = { ready, ...(context && { context }) };
    return this.#put(bindings.ref, labelled({ ...object, status }, meshLabelsOfBinding({ spec })));
  }

  async removeInstance(tenant: string, id: string): Promise<void> {
    await this.#remove(instances.ref, tenant, id);
  }

  async removeBinding(tenant: string, id: string): Promise<void> {
    await this.#remove(bindings.ref, tenant, id);
  }

  async #put(ref: typeof instances.ref, object: KubeObject): Promise<void> {
    const { namespace = '', name = '' } = object.metadata;
    const at = { ...ref, namespace, name };
    const present = await this.client.get(at).catch((error: unknown) => {
      if (isError(error, 'NotFound')) return undefined;
      throw error;
    });
    const { uid, resourceVersion = '' } = present?.metadata ?? {};
    const write: AtomicWrite =
      uid === undefined
        ? { type: 'create', ref: at, object }
        : { type: 'replace', ref: at, resourceVersion, object: { ...object, metadata: { ...object.metadata, uid } } };
    await this.client.commit([write]);
  }

  async #remove(ref: typeof instances.ref, namespace: string, name: string): Promise<void> {
    try {
      await this.client.delete({ ...ref, namespace, name });
    } catch (error) {
      if (!isError(error, 'NotFound')) throw error;
    }
  }
}

/** The service manager labels what meshes read. */
function labelled(object: KubeObject, labels: Readonly<Record<string, string | undefined>>): KubeObject {
  const present = Object.entries(labels).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return { ...object, metadata: { ...object.metadata, labels: Object.fromEntries(present) } };
}

/** A cluster of a plane with an empty tenant. */
export async function newRecords(plane: TestPlane, name: string, ...tenants: readonly string[]): Promise<TestRecords> {
  const records = new TestRecords(await plane.createCluster(name));
  for (const tenant of tenants) await records.addTenant(tenant);
  return records;
}

/** Waits until a text is what it should be. */
export const becomes = (read: () => string, wanted: string): Promise<unknown> =>
  eventually(() => read() === wanted || undefined, { what: `"${wanted}"` });
