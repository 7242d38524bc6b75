import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Client } from '@chandlery/client';
import { systemNamespace } from '@chandlery/clusters/kinds';
import { type Logger, MetricsRegistry, openTracing, Shutdown } from '@chandlery/platform';
import { createLeaseElector } from '@chandlery/runtime';
import type { ProviderDefinition } from '../definition/provider-definition.ts';
import type { Pace, ProviderArguments } from './arguments.ts';
import { probeAddresses, serveProbes } from './probes.ts';
import { reportLiveness } from './report-liveness.ts';
import { type RunningProvider, startProvider } from './start-provider.ts';

export interface RunCommandOptions {
  readonly args: ProviderArguments;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: Client;
  readonly connect?: (kubeconfig: string) => Client;
  readonly logger: Logger;
  /** The program's pace, unless the command line sets another. */
  readonly pace?: Pace;
  /** Stops the run, like a signal of the operating system. Default: only signals stop it. */
  readonly stop?: AbortSignal;
}

/** Serves the objects of a provider until a signal stops it; returns the exit code. */
export async function runCommand(definition: ProviderDefinition, options: RunCommandOptions): Promise<number> {
  const { args, env, logger } = options;
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const shutdown = new Shutdown({ logger, exit: end });
  using _ = shutdown.listen();
  options.stop?.addEventListener('abort', () => void shutdown.stop().then(isFine => end(isFine ? 0 : 1)));
  const registry = new MetricsRegistry();
  const tracing = openTracing({
    endpoint: env['OTEL_EXPORTER_OTLP_ENDPOINT'],
    resource: { 'service.name': args.provider, 'service.namespace': 'chandlery' },
    env,
    registry,
    logger,
  });
  shutdown.use('traces', tracing);
  const part: { current?: RunningProvider; isStandby: boolean } = { isStandby: args.isLeaderElected };
  const isReady = (): boolean => !shutdown.isStopping && (part.current?.isReady ?? part.isStandby);
  const { health, metrics } = probeAddresses(env, args.metricsAddress);
  const probes = { isReady, registry };
  shutdown.use('health', await serveProbes(health, probes));
  if (metrics !== undefined) shutdown.use('metrics', await serveProbes(metrics, probes));
  const stopping = new AbortController();
  shutdown.add('access', () => stopping.abort());
  const start = async (): Promise<RunningProvider> => {
    const { tracer } = tracing;
    part.current = await startProvider(definition, {
      ...startOptions(options),
      registry,
      tracer,
      signal: stopping.signal,
    });
    const { platform } = options;
    const identity = env['POD_NAME'] ?? hostname();
    shutdown.use('liveness', reportLiveness({ provider: args.provider, platform, identity, logger }));
    part.current.ready.then(
      () => logger.info('ready', { provider: args.provider }),
      () => undefined,
    );
    return part.current;
  };
  if (args.isLeaderElected) elect(options, { shutdown, start, end });
  else void start().then(running => shutdown.use('provider', running), failed(options, shutdown, end));
  return await ended;
}

const startOptions = ({ args, platform, connect, logger, pace }: RunCommandOptions) => ({
  ...pace,
  ...args.pace,
  provider: args.provider,
  platform,
  logger,
  ...(connect && { connect }),
});

interface Run {
  readonly shutdown: Shutdown;
  readonly start: () => Promise<RunningProvider>;
  readonly end: (code: number) => void;
}

/** Waits for the lease. A replica that loses it stops, because another one leads. */
function elect(options: RunCommandOptions, { shutdown, start, end }: Run): void {
  const { args, env, platform, logger } = options;
  const elector = createLeaseElector({
    client: platform,
    namespace: env['POD_NAMESPACE'] ?? systemNamespace,
    name: `${args.provider}-leader`,
    identity: `${env['POD_NAME'] ?? hostname()}_${randomUUID()}`,
    lead: async ({ signal }) => {
      try {
        await using _ = await start();
        await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }));
        // Another replica leads: reconciles in progress are not awaited.
        if (!shutdown.isStopping) end(1);
      } catch (error) {
        failed(options, shutdown, end)(error);
      }
    },
    onNewLeader: leader => logger.info('leader', { leader }),
    onError: error => logger.warn('cannot take part in the election', { error }),
  });
  shutdown.use('election', elector);
  elector.start();
}

const failed =
  ({ logger }: RunCommandOptions, shutdown: Shutdown, end: (code: number) => void) =>
  (error: unknown): void => {
    if (shutdown.isStopping) return;
    logger.error('cannot start', { error });
    void shutdown.stop().then(() => end(1));
  };
