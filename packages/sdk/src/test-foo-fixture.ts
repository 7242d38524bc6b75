import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { MetricsRegistry } from '@chandlery/platform';
import { serviceProviders } from '@chandlery/providers/kinds';
import { findCondition } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import type { ProviderDefinition } from './definition/provider-definition.ts';
import { installProvider } from './process/install-provider.ts';
import { type RunningProvider, startProvider } from './process/start-provider.ts';
import { startLandscape, type TestLandscape } from './test-landscape.ts';
import { Bank, type Foo, fooConfigs, fooProvider, foos } from './test-provider.ts';

/** A landscape with the provider "foo". */
export interface FooFixture extends AsyncDisposable {
  readonly landscape: TestLandscape;
  readonly bank: Bank;
  readonly definition: ProviderDefinition;
  readonly registry: MetricsRegistry;
  /** Starts another process of the provider; the fixture stops it. */
  start(change?: (client: Client) => Client, signal?: AbortSignal): Promise<RunningProvider>;
  create(name: string, spec?: Partial<Foo['spec']>): Promise<Foo>;
  get(name: string): Promise<Foo>;
  /** Waits until the object is ready for its latest generation. */
  ready(name: string): Promise<Foo>;
  /** Waits for a condition, and returns its message. */
  says(name: string, type: string, reason: string): Promise<string>;
  gone(name: string): Promise<void>;
  remove(name: string): Promise<void>;
  patch(name: string, body: object): Promise<Foo>;
  /** The number of reconciles, and of those with a terminal error. */
  passes(): Promise<{ readonly all: number; readonly terminal: number }>;
  events(name: string): Promise<readonly string[]>;
}

export interface FooFixtureOptions {
  /** Whether the provider runs from the beginning. Default true. */
  readonly isStarted?: boolean;
  /** Control planes in the namespace `default`: cluster by name. Default: a on mcp-a. */
  readonly controlPlanes?: Readonly<Record<string, string>>;
  readonly define?: (bank: Bank) => ProviderDefinition;
}

export const fooRef = (name: string) => ({ ...foos.ref, namespace: 'default', name });

export async function startFooFixture(options: FooFixtureOptions = {}): Promise<FooFixture> {
  const { isStarted = true, controlPlanes = { a: 'mcp-a' }, define = fooProvider } = options;
  await using stack = new AsyncDisposableStack();
  const landscape = stack.use(await startLandscape());
  const { platform, onboarding } = landscape;
  const connect = (kubeconfig: string): Client => landscape.connect(kubeconfig);
  const bank = new Bank();
  const definition = define(bank);
  await platform.create(serviceProviders.ref, serviceProviders.object({ name: 'foo' }, { image: 'foo' } as never));
  await installProvider(definition, { provider: 'foo', platform, connect });
  await platform.create(fooConfigs.ref, fooConfigs.object({ name: 'foo' }, { versions: ['1.0', '1.1'] }));
  for (const [name, cluster] of Object.entries(controlPlanes))
    await landscape.createControlPlane('default', name, cluster);
  const registry = new MetricsRegistry();
  const providers = stack.use(new AsyncDisposableStack());
  const start: FooFixture['start'] = async (change = client => client, signal = new AbortController().signal) => {
    const wrapped = (kubeconfig: string): Client => change(connect(kubeconfig));
    const running = await startProvider(definition, {
      provider: 'foo',
      platform: change(platform),
      connect: wrapped,
      signal,
      ...(isStarted && { registry }),
    });
    return providers.use(running);
  };
  if (isStarted) await start();
  const get = (name: string): Promise<Foo> => onboarding.get<Foo>(fooRef(name));
  const all = stack.move();
  return {
    landscape,
    bank,
    definition,
    registry,
    start,
    get,
    create: (name, spec) =>
      onboarding.create<Foo>(
        { ...foos.ref, namespace: 'default' },
        foos.object({ name, namespace: 'default' }, { version: '1.0', ...spec }),
      ),
    ready: name =>
      eventually(
        async () => {
          const foo = await get(name);
          const isNew = foo.status?.observedGeneration === foo.metadata.generation;
          return foo.status?.phase === 'Ready' && isNew && foo;
        },
        { what: `Foo ${name} to be ready` },
      ),
    says: (name, type, reason) =>
      eventually(
        async () => {
          const foo = await get(name);
          const condition = findCondition(foo, type);
          return condition?.reason === reason && { text: condition.message ?? '' };
        },
        { what: `Foo ${name} to say ${type} ${reason}` },
      ).then(({ text }) => text),
    gone: name =>
      eventually(
        () =>
          get(name).then(
            () => false,
            () => true,
          ),
        { what: `Foo ${name} to go` },
      ).then(() => undefined),
    remove: async name => void (await onboarding.delete(fooRef(name))),
    patch: (name, body) => onboarding.patch<Foo>(fooRef(name), { type: 'merge', body: body as never }),
    passes: async () => {
      const text = await registry.render();
      const sum = (metric: string): number =>
        [...text.matchAll(new RegExp(`^controller_runtime_${metric}(?:\\{[^}]*\\})? (\\d+)`, 'gm'))].reduce(
          (total, [, count]) => total + Number(count),
          0,
        );
      return { all: sum('reconcile_total'), terminal: sum('terminal_reconcile_errors_total') };
    },
    events: async name => {
      const { items } = await onboarding.list<KubeObject & { reason: string; involvedObject: { name: string } }>({
        group: '',
        version: 'v1',
        plural: 'events',
        namespace: 'default',
      });
      return items.filter(({ involvedObject }) => involvedObject.name === name).map(({ reason }) => reason);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
