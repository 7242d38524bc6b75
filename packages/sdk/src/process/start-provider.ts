import type { Client } from '@chandlery/client';
import { type Clock, type Logger, MetricsRegistry, silentLogger, type Tracer } from '@chandlery/platform';
import type { BackOffOptions, RateLimit } from '@chandlery/runtime';
import { openAccess } from '../access/open-access.ts';
import type { ProviderDefinition } from '../definition/provider-definition.ts';
import { onboardingRequirement, runToken } from '../model/access-requirements.ts';
import { startReconciler } from '../reconcile/start-reconciler.ts';

export interface StartProviderOptions {
  /** The name of the ServiceProvider. */
  readonly provider: string;
  /** Has the provider's own rights. Not disposed of. */
  readonly platform: Client;
  /** How kubeconfigs become clients. Default: over the network. */
  readonly connect?: (kubeconfig: string) => Client;
  /** Default: a private registry. */
  readonly registry?: MetricsRegistry;
  /** Default: nothing is traced. */
  readonly tracer?: Tracer;
  /** Default: silent. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** The number of concurrent reconciles. Default 8. */
  readonly concurrency?: number;
  /** The rate of reconciles over all objects. Default: unlimited. */
  readonly rateLimit?: RateLimit;
  /** The back-off after failures. Default: 5 ms, doubled each time up to 1,000 s. */
  readonly backOff?: BackOffOptions;
  /** Cancels the wait for access. Default: never. */
  readonly signal?: AbortSignal;
}

/** A running provider. Disposing of it waits for reconciles in progress. */
export interface RunningProvider extends AsyncDisposable {
  /** Whether all informers are synced. */
  readonly isReady: boolean;
  /** Resolves when it is ready. */
  readonly ready: Promise<void>;
}

/** Implements `run`, for programs with more than one provider, and for tests. */
export async function startProvider(
  definition: ProviderDefinition,
  options: StartProviderOptions,
): Promise<RunningProvider> {
  const { provider, platform, logger = silentLogger, signal = new AbortController().signal, ...rest } = options;
  const { registry = new MetricsRegistry(), connect } = rest;
  await using stack = new AsyncDisposableStack();
  const requirement = onboardingRequirement(provider, 'onboarding', runToken(definition));
  const access = stack.use(
    await openAccess({ provider, platform, requirement, logger, signal, ...(connect && { connect }) }),
  );
  const { client: onboarding } = access.connection;
  const reconciler = stack.use(
    startReconciler(definition, { ...rest, provider, platform, onboarding, registry, logger }),
  );
  const all = stack.move();
  return {
    ready: reconciler.synced,
    get isReady() {
      return reconciler.isSynced;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
