import type { KindDeclaration, KubeObject } from '@chandlery/api';
import { ManualClock, randomIds } from '@chandlery/platform';
import { eventually, tempFolder } from '@chandlery/testing';
import type { UserInfo } from './access/index.ts';
import type { AdmissionHook } from './behaviours/behaviour.ts';
import type { IndexLimits } from './browse/collection-indexes.ts';
import type { Cipher } from './codec/sealed-codec.ts';
import { Kernel } from './kernel.ts';
import { type Leadership, soleLeader } from './maintenance/leadership.ts';
import { createObject } from './resources/create.ts';
import { type DeleteOptions, type DeleteResult, deleteObject } from './resources/delete.ts';
import { mutateObject } from './resources/mutate.ts';
import { getObject, type ListRequest, listObjects } from './resources/read.ts';
import type { Target, WriteOptions } from './resources/request.ts';
import type { Served } from './resources/served.ts';
import type { TokenIssuer } from './resources/token-request.ts';
import { openStore } from './store/open-store.ts';
import type { Store } from './store/store.ts';

const user: UserInfo = { username: 'tester', groups: ['system:masters'] };

/** How tests write unless they say otherwise. */
export const testWrite: WriteOptions = { user, fieldManager: 'test' };

/** Turns every bit, so that sealed values cannot be mistaken for plain ones. */
export const testCipher: Cipher = {
  encrypt: plaintext => plaintext.map(byte => byte ^ 0xff),
  decrypt: ciphertext => ciphertext.map(byte => byte ^ 0xff),
};

/** Where an object is, as tests say it: `configmaps`, `apps/v1/deployments`. */
export interface TestPlace {
  readonly cluster?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface TestKernelOptions {
  readonly leadership?: Leadership;
  readonly kinds?: readonly KindDeclaration[];
  /** Wraps the store, to make it fail or wait. */
  readonly wrap?: (store: Store) => Store;
  readonly historyMs?: number;
  readonly revisionDays?: number;
  readonly tokens?: TokenIssuer;
  readonly reservedGroups?: ReadonlySet<string>;
  readonly admission?: AdmissionHook;
  readonly indexes?: IndexLimits;
  /** Default: {@link testCipher}. */
  readonly cipher?: Cipher;
}

/** A started kernel on a store of its own, with shortcuts for what tests do all the time. */
export class TestKernel implements AsyncDisposable {
  readonly kernel: Kernel;
  readonly clock: ManualClock;
  /** What failed in the background. */
  readonly failures: unknown[];
  readonly #stack: AsyncDisposableStack;

  constructor(parts: { kernel: Kernel; clock: ManualClock; failures: unknown[]; stack: AsyncDisposableStack }) {
    this.kernel = parts.kernel;
    this.clock = parts.clock;
    this.failures = parts.failures;
    this.#stack = parts.stack;
  }

  get deps() {
    return this.kernel.deps;
  }

  get store(): Store {
    return this.kernel.store;
  }

  /** In the cluster `onboarding` and the namespace `default` unless said otherwise. */
  async target(resource: string, place: TestPlace = {}): Promise<Target> {
    const parts = resource.split('/');
    const plural = parts.at(-1) ?? '';
    const [group = '', version = 'v1'] = parts.length === 3 ? parts : [];
    const { cluster = 'onboarding', name = '', namespace = 'default' } = place;
    const target = await this.kernel.target(cluster, { group, version, plural, namespace, name });
    if (target === undefined) throw new TypeError(`${resource} is not served in ${cluster}`);
    return target.resource.kind.isNamespaced ? target : { ...target, namespace: '' };
  }

  async create(resource: string, body: object, place: TestPlace & { write?: Partial<WriteOptions> } = {}) {
    const target = await this.target(resource, place);
    const { kind, version } = target.resource;
    const object = { apiVersion: version.apiVersion, kind: kind.kind, metadata: {}, ...structuredClone(body) };
    return createObject(this.deps, target, { ...testWrite, ...place.write }, object);
  }

  /** Makes a namespace that no other test uses; returns its name. */
  async newNamespace(): Promise<string> {
    const { object } = await this.create('namespaces', { metadata: { generateName: 'test-' } });
    return object.metadata.name ?? '';
  }

  async get(resource: string, name: string, place: TestPlace = {}): Promise<KubeObject> {
    return (await getObject(this.deps, await this.target(resource, { ...place, name }))).object;
  }

  async find(resource: string, name: string, place: TestPlace = {}): Promise<KubeObject | undefined> {
    return (await this.list(resource, { fieldSelector: `metadata.name=${name}` }, place))[0];
  }

  async list(resource: string, request: ListRequest = {}, place: TestPlace = {}): Promise<KubeObject[]> {
    const { items } = await listObjects(this.deps, await this.target(resource, place), request);
    return items.map(({ object }) => object);
  }

  async change(
    resource: string,
    name: string,
    change: (live: KubeObject) => KubeObject | void,
    place: TestPlace & { endpoint?: '' | 'status'; write?: Partial<WriteOptions> } = {},
  ): Promise<Served> {
    const target = await this.target(resource, { ...place, name });
    return mutateObject(
      this.deps,
      target,
      { ...testWrite, ...place.write },
      {
        endpoint: place.endpoint ?? '',
        change: live => change(live) ?? live,
      },
    );
  }

  async delete(
    resource: string,
    name: string,
    options: DeleteOptions = {},
    place: TestPlace & { write?: Partial<WriteOptions> } = {},
  ): Promise<DeleteResult> {
    const target = await this.target(resource, { ...place, name });
    return deleteObject(this.deps, target, { ...testWrite, ...place.write }, options);
  }

  /** Waits until the object is deleted and all listeners know. */
  async gone(resource: string, name: string, place: TestPlace = {}): Promise<void> {
    const what = `${resource} ${name} to go`;
    await eventually(async () => (await this.find(resource, name, place)) === undefined, { what });
    await this.settled();
  }

  /** Waits until all changes so far have been delivered to all listeners. */
  async settled(): Promise<void> {
    await this.kernel.feed.reached(await this.store.currentRevision());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** A store in a folder that goes with it: `await using world = await openTestStore()`. */
export async function openTestStore(): Promise<AsyncDisposable & { readonly store: Store }> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const store = stack.use(await openStore({ type: 'sqlite', folder: folder.path }));
  const kept = stack.move();
  return { store, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Starts a kernel in a folder that goes with it: `await using plane = await startTestKernel()`. */
export async function startTestKernel(options: TestKernelOptions = {}): Promise<TestKernel> {
  await using stack = new AsyncDisposableStack();
  const { store } = stack.use(await openTestStore());
  const started = await startKernelOn(options.wrap?.(store) ?? store, options);
  stack.use(started);
  const { kernel, clock, failures } = started;
  return new TestKernel({ kernel, clock, failures, stack: stack.move() });
}

/** Starts a kernel on a store that its caller disposes of. */
export async function startKernelOn(store: Store, options: TestKernelOptions = {}): Promise<TestKernel> {
  const clock = new ManualClock();
  const failures: unknown[] = [];
  const kernel = new Kernel({
    store,
    cipher: options.cipher ?? testCipher,
    leadership: options.leadership ?? soleLeader,
    clock,
    ids: randomIds,
    ...(options.kinds === undefined ? {} : { kinds: options.kinds }),
    ...(options.historyMs === undefined ? {} : { historyMs: options.historyMs }),
    ...(options.revisionDays === undefined ? {} : { revisionDays: options.revisionDays }),
    ...(options.tokens === undefined ? {} : { tokens: options.tokens }),
    ...(options.indexes === undefined ? {} : { indexes: options.indexes }),
    ...(options.admission === undefined ? {} : { admission: options.admission }),
    ...(options.reservedGroups === undefined ? {} : { reservedGroups: options.reservedGroups }),
    onFailure: (_what, error) => void failures.push(error),
  });
  await kernel.start();
  const stack = new AsyncDisposableStack();
  stack.use(kernel);
  return new TestKernel({ kernel, clock, failures, stack });
}

/** A CRD of the given name in the group `example.org`, with one version `v1` that takes anything below `spec`. */
export function testCrd(plural: string, more: { readonly versions?: readonly object[]; readonly names?: object } = {}) {
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1, -1)}`;
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
    subresources: { status: {} },
  };
  return {
    metadata: { name: `${plural}.example.org` },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { plural, kind, ...more.names },
      versions: more.versions ?? [version],
    },
  };
}

export const crds = 'apiextensions.k8s.io/v1/customresourcedefinitions';
export const logicalClusters = 'core.chandlery.io/v1alpha1/logicalclusters';
