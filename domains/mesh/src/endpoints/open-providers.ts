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
  /** In order of trust: that of the factories. */
  readonly providers: readonly EndpointsProvider[];
  readonly machines: readonly ClusterMachines[];
  readonly announced: AnnouncedEndpoints | undefined;
}

/**
 * Opens the providers of all factories; disposing of what is returned disposes of them. When one factory fails, those that
 * are open already are disposed of. Throws `InvalidOptions` for providers that do not go together.
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

/** People are told by its id which provider is stale. */
function checkIds(providers: readonly EndpointsProvider[]): void {
  const repeated = firstRepeated(providers.map(({ id }) => id));
  if (repeated !== undefined) throw invalid(`two of them are called "${repeated}"`, 'give each an id of its own');
}

const invalid = (why: string, hint: string): ChandleryError =>
  new ChandleryError('InvalidOptions', `the endpoints providers of a mesh do not go together: ${why}`, { hint });
