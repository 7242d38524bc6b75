import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef, ResourceRef } from '@chandlery/client';
import { accessRequests, clusterProfiles, clusterRequests, clusters } from '@chandlery/clusters/kinds';
import { type Clock, silentLogger, systemClock } from '@chandlery/platform';
import { findCondition, installKinds, SharedInformers } from '@chandlery/runtime';
import { eventually, startTestPlane, type TestPlane } from '@chandlery/testing';
import {
  accessRecords,
  clusterProviders,
  type Provider,
  platformServices,
  serviceProviders,
} from '../../kinds/index.ts';
import { startOperator } from './start-operator.ts';
import { type Kubelet, startKubelet } from './test-kubelet.ts';

const platformKinds = [
  serviceProviders,
  clusterProviders,
  platformServices,
  clusters,
  clusterProfiles,
  clusterRequests,
  accessRequests,
  accessRecords,
];

/** A landscape with an operator and a simulated kubelet. */
export interface TestOperator extends AsyncDisposable {
  readonly plane: TestPlane;
  readonly platform: Client;
  readonly onboarding: Client;
  readonly kubelet: Kubelet;
  /** Stops the operator, until {@link restart}. */
  stop(): Promise<void>;
  /** Stops the operator and starts another one with empty caches. */
  restart(): Promise<void>;
  get(name?: string): Promise<Provider>;
  /** Waits until the provider has the condition with the reason, and returns the provider. */
  waitFor(type: string, reason: string, name?: string): Promise<Provider>;
}

export async function startTestOperator(clock: Clock = systemClock, runsPods = true): Promise<TestOperator> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane());
  const platform = plane.connect('platform');
  const onboarding = plane.client;
  await installKinds(
    platform,
    platformKinds.map(({ crd }) => crd),
    { fieldManager: 'test' },
  );
  const kubelet = stack.use(startKubelet(platform, onboarding));
  let operator = await startWithInformers({ platform, onboarding, kubelet, clock, runsPods });
  stack.defer(() => operator[Symbol.asyncDispose]());
  const all = stack.move();
  const get = (name = 'foo'): Promise<Provider> => platform.get<Provider>({ ...serviceProviders.ref, name });
  return {
    plane,
    platform,
    onboarding,
    kubelet,
    get,
    stop: () => Promise.resolve(operator[Symbol.asyncDispose]()),
    async restart() {
      await operator[Symbol.asyncDispose]();
      operator = await startWithInformers({ platform, onboarding, kubelet, clock, runsPods });
    },
    waitFor: (type, reason, name) =>
      eventually(
        async () => {
          const provider = await get(name);
          if (findCondition(provider, type)?.reason !== reason) throw new Error(JSON.stringify(provider.status));
          return provider;
        },
        { what: `${type} with reason ${reason}` },
      ),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

interface Parts extends Pick<TestOperator, 'platform' | 'onboarding' | 'kubelet'> {
  readonly clock: Clock;
  readonly runsPods: boolean;
}

async function startWithInformers({
  platform,
  onboarding,
  kubelet,
  clock,
  runsPods = true,
}: Parts): Promise<AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  const informers = stack.use(new SharedInformers());
  const { readPodLog } = kubelet;
  stack.use(
    await startOperator({
      platform,
      onboarding,
      informers,
      readPodLog,
      runsPods,
      environment: 'test',
      logger: silentLogger,
      clock,
    }),
  );
  return stack;
}

/** A ServiceProvider whose init brings the kind Foo. */
export const fooProvider = (spec: Partial<Provider['spec']> = {}, name = 'foo'): Provider =>
  serviceProviders.object({ name }, { image: 'foo:1', ...spec } as Provider['spec']);

export const fooRef: ObjectRef = { ...serviceProviders.ref, name: 'foo' };
export const foos = { group: 'foo.services.example.org', version: 'v1', plural: 'foos' };
export const systemRef = (group: string, plural: string): ResourceRef => ({
  group,
  version: 'v1',
  plural,
  namespace: 'openmcp-system',
});

export const foo = (name: string, metadata: KubeObject['metadata'] = {}): KubeObject => ({
  apiVersion: 'foo.services.example.org/v1',
  kind: 'Foo',
  metadata: { name, namespace: 'default', ...metadata },
  spec: {},
});

export const isGone = async (client: Client, ref: ObjectRef): Promise<boolean> => {
  try {
    await client.get(ref);
    return false;
  } catch (thrown) {
    if (isError(thrown, 'NotFound')) return true;
    throw thrown;
  }
};

const madeBy = 'app.kubernetes.io/managed-by=chandlery-operator,app.kubernetes.io/instance';
const places: readonly ResourceRef[] = [
  systemRef('batch', 'jobs'),
  systemRef('apps', 'deployments'),
  systemRef('', 'pods'),
  systemRef('', 'services'),
  systemRef('', 'configmaps'),
  systemRef('', 'serviceaccounts'),
  systemRef('rbac.authorization.k8s.io', 'roles'),
  systemRef('rbac.authorization.k8s.io', 'rolebindings'),
  { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles' },
  { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterrolebindings' },
];
const managed: readonly ResourceRef[] = [
  { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' },
  accessRequests.ref,
  clusterRequests.ref,
];

/** Everything on both clusters that exists because of providers, as `Kind name`. */
export const leftovers = async (fixture: TestOperator): Promise<string[]> =>
  (await findMade(fixture)).map(({ kind, metadata }) => `${kind} ${metadata.name}`);

/** Everything on both clusters that exists because of providers. */
export async function findMade({
  platform,
  onboarding,
}: Pick<TestOperator, 'platform' | 'onboarding'>): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  for (const ref of places) found.push(...(await platform.list(ref, { labelSelector: madeBy })).items);
  const labelSelector = 'openmcp.cloud/managed-by';
  for (const ref of managed) found.push(...(await platform.list(ref, { labelSelector })).items);
  found.push(...(await onboarding.list(managed[0] as ResourceRef, { labelSelector })).items);
  return found;
}
