import { type Client, createClient, loadKubeconfig, type ResourceRef } from '@chandlery/client';
import { startTestLandscape } from '@chandlery/testing';
import { describeSdkContract, type OpenedClusters } from './sdk-contract.ts';

/** The Kubernetes for the contract; see `npm run test:kubernetes`. Without it, two logical clusters are used. */
const given = process.env['CHANDLERY_TEST_KUBECONFIG'] ?? '';

/** One cluster has both roles: each side sees only its own namespace. */
function openKubernetes(home: string, copies: string): Promise<OpenedClusters> {
  const client = createClient(loadKubeconfig(given));
  return Promise.resolve({
    mcp: seeOnly(home, client),
    workload: seeOnly(copies, client),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  });
}

const clusterWide = new Set(['namespaces', 'customresourcedefinitions']);

/** Restricts reads of all namespaces to one. */
function seeOnly(namespace: string, client: Client): Client {
  const inside = (ref: ResourceRef): ResourceRef => (clusterWide.has(ref.plural) ? ref : { namespace, ...ref });
  const narrowed: Partial<Client> = {
    list: (ref, options) => client.list(inside(ref), options),
    listAll: (ref, options) => client.listAll(inside(ref), options),
    watch: (ref, options) => client.watch(inside(ref), options),
  };
  return new Proxy(client, {
    get: (target, property) => {
      const value: unknown = Reflect.get(narrowed, property) ?? Reflect.get(target, property);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

async function openLogicalClusters(): Promise<OpenedClusters> {
  await using stack = new AsyncDisposableStack();
  const landscape = stack.use(await startTestLandscape());
  const connect = async (name: string): Promise<Client> => {
    await landscape.createCluster(name);
    return stack.use(createClient(loadKubeconfig(landscape.kubeconfig, { context: name })));
  };
  const [mcp, workload] = [await connect('mcp'), await connect('work')];
  const all = stack.move();
  return { mcp, workload, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

if (given === '') describeSdkContract('over HTTPS to logical clusters', openLogicalClusters);
else describeSdkContract('over HTTPS to a given Kubernetes', openKubernetes);
