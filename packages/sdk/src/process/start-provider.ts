import type { Client } from '@chandlery/client';
import { type Clock, type Logger, MetricsRegistry, silentLogger } from '@chandlery/platform';
import type { BackOffOptions, RateLimit } from '@chandlery/runtime';
import { openAccess } from '../access/open-access.ts';
import type { ProviderDefinition } from '../definition/provider-definition.ts';
import { onboardingRequirement, runToken } from '../model/access-requirements.ts';
import { startReconciler } from '../reconcile/start-reconciler.ts';

export interface StartProviderOptions {
  /** The name of the ServiceProvider. */
  readonly provider: string;
  /** With the provider's own rights. Not disposed of. */
  readonly platform: Client;
  /** How kubeconfigs become clients. Default: over the network. */
  readonly connect?: (kubeconfig: string) => Client;
  /** Default: a registry nobody reads. */
  readonly registry?: MetricsRegistry;
  /** Default: silent. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** How many objects are looked at at a time. Default 8. */
  readonly concurrency?: number;
  /** How many passes may begin in a second, over all objects. Default: as many as there are changes. */
  readonly rateLimit?: RateLimit;
  /** How long an object that failed waits. Default: 5 ms, doubled each time up to 1,000 s. */
  readonly backOff?: BackOffOptions;
  /** Ends the wait for access. Default: never. */
  readonly signal?: AbortSignal;
}

/** A provider that serves its objects. Disposing of it lets running passes end. */
export interface RunningProvider extends AsyncDisposable {
  /** Whether all that it watches has been read once. */
  readonly isReady: boolean;
  /** Resolves when it is ready. */
  readonly ready: Promise<void>;
}

/** What `run` does, for programs that hold more than one provider, and for tests. */
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
