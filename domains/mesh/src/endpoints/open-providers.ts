import { ChandleryError, firstRepeated } from '@chandlery/api';
import type { ServiceName } from '../model/service-name.ts';
import type {
  AnnouncedEndpoints,
  ClusterMachines,
  EndpointsProvider,
  EndpointsProviderDeps,
  EndpointsProviderFactory,
} from '../ports/endpoints.ts';

/** The endpoints providers of a mesh, of all factories. */
export interface MeshProviders extends AsyncDisposable {
  /** By descending priority, in the order of the factories. */
  readonly providers: readonly EndpointsProvider[];
  readonly machines: readonly ClusterMachines[];
  readonly announced: AnnouncedEndpoints | undefined;
}

/**
 * Opens the providers of all factories, and disposes of them with the returned object. When a factory fails, the
 * providers that are already open are disposed of. Throws `InvalidOptions` for conflicting providers.
 */
export async function openProviders(
  factories: readonly EndpointsProviderFactory[],
  deps: Omit<EndpointsProviderDeps, 'endpointsOf'>,
): Promise<MeshProviders> {
  await using stack = new AsyncDisposableStack();
  const providers: EndpointsProvider[] = [];
  const endpointsOf = (service: ServiceName) => providers.flatMap(each => each.listEndpointsForService(service));
  const opened = factories.map(factory => {
    const own = factory.open({ ...deps, endpointsOf });
    for (const provider of own.providers) stack.use(provider);
    providers.push(...own.providers);
    return own;
  });
  checkIds(providers);
  const [announced, ...others] = opened.flatMap(own => own.announced ?? []);
  if (others.length > 0) throw invalid('several of them take in what proxies announce', 'register one of these alone');
  const machines = opened.flatMap(({ machines: own }) => own ?? []);
  const owned = stack.move();
  return { providers, machines, announced, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The id identifies a stale provider to operators. */
function checkIds(providers: readonly EndpointsProvider[]): void {
  const repeated = firstRepeated(providers.map(({ id }) => id));
  if (repeated !== undefined) throw invalid(`two of them are called "${repeated}"`, 'give each an id of its own');
}

const invalid = (why: string, hint: string): ChandleryError =>
  new ChandleryError('InvalidOptions', `the endpoints providers of a mesh do not go together: ${why}`, { hint });
