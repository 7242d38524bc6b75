import type { JsonObject } from '@chandlery/api';
import { toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { createWorkQueue, relistPriority, runWorkers } from '@chandlery/runtime';
import { ClusterView } from './cluster/cluster-view.ts';
import type { KindResolver } from './cluster/kind-resolver.ts';
import type { ControlPlane } from './control-plane/control-plane.ts';
import { DesiredState } from './control-plane/desired-state.ts';
import { Heartbeat } from './control-plane/heartbeat.ts';
import { Reporter } from './control-plane/reporter.ts';
import { singularOf } from './model/managed-instance.ts';
import { InstanceReconciler } from './reconcile/instance-reconciler.ts';
import { RouteTable } from './router/find-backend.ts';
import { type SniRouter, startSniRouter } from './router/sni-router.ts';

export interface AgentOptions {
  readonly product: string;
  readonly clusterId: string;
  /** Of the data-plane cluster. Not disposed of. */
  readonly client: Client;
  readonly resolveKind: KindResolver;
  /** Not disposed of. */
  readonly controlPlane: ControlPlane;
  readonly router: RouterOptions;
  /** Units by instance type, as `{"standard": {"maxUnits": 5, "remainingUnits": 3}}`. Default: not reported. */
  readonly capacity?: JsonObject | undefined;
  readonly logger: Logger;
  /** How many instances are worked on at a time. Default 8. */
  readonly concurrency?: number;
  /** Default 30,000. */
  readonly heartbeatMs?: number;
  /** After which everything is compared and reported again. Default 60,000. */
  readonly resyncMs?: number;
  /** How long the control plane may keep a poll. Default 30. */
  readonly waitSeconds?: number;
}

/** How instances are reached from outside. */
export interface RouterOptions {
  /** What DNS names of instances lead to: the cluster's ingress, or the address that the agent's own router listens on. */
  readonly host: string;
  /** The port of the agent's own router, 0 for any; undefined: the cluster has an ingress. */
  readonly port: number | undefined;
}

/** An agent that runs. Disposing of it leaves everything on the cluster as it is. */
export interface RunningAgent extends AsyncDisposable {
  /** The port of its router. */
  readonly routerPort: number | undefined;
}

/** Starts an agent; resolves when it knows what is on its cluster. */
export async function startAgent(options: AgentOptions): Promise<RunningAgent> {
  const { product, controlPlane, logger, concurrency = 8, resyncMs = 60_000 } = options;
  await using stack = new AsyncDisposableStack();
  const stopping = new AbortController();
  const queue = createWorkQueue<string>({ backOff: { baseMs: 200, maxMs: 60_000 } });
  const enqueue = (id: string): void => queue.add(id);
  const view: ClusterView = new ClusterView({
    ...options,
    onChange: id => {
      routes.refresh(id);
      queue.add(id);
    },
    onError: error => logger.warn('a watch of the cluster failed', { error: error.message }),
  });
  const routes = new RouteTable(view);
  stack.use(view);
  await view.open();
  for (const id of view.instanceIds) routes.refresh(id);
  const router = await startRouter(options, routes);
  if (router !== undefined) stack.use(router);
  const desired = new DesiredState({ ...options, controlPlane, onChange: enqueue, logger });
  const singular = (): string => singularOf(desired.kind);
  const reporter = new Reporter({ send: statuses => controlPlane.reportInstances(statuses, singular()), logger });
  const enqueueAll = (): void => {
    for (const id of new Set([...desired.ids, ...view.instanceIds])) queue.add(id, { priority: relistPriority });
  };
  const heartbeat = new Heartbeat({ ...options, view, reporter, singular, onProgramChange: enqueueAll });
  const reconciler = new InstanceReconciler({
    ...options,
    view,
    desired,
    reporter,
    program: () => heartbeat.program,
    router: () => ({ host: options.router.host, port: router?.port }),
  });
  stack.use(
    runWorkers({
      queue,
      concurrency,
      work: (id, context) => reconciler.reconcile(id, context),
      onFailure: ({ key, error }) =>
        logger.warn('an instance needs another attempt', { instance: key, error: error.message }),
    }),
  );
  enqueueAll();
  const resync = setInterval(() => {
    enqueueAll();
    reporter.resync();
  }, resyncMs);
  const { signal } = stopping;
  const loops = [desired.follow(signal), reporter.run(signal), desired.listed.then(() => heartbeat.run(signal))];
  for (const loop of loops)
    loop.catch((thrown: unknown) => logger.error('the agent stumbled', { error: toError(thrown).message }));
  stack.defer(async () => {
    clearInterval(resync);
    stopping.abort();
    await Promise.allSettled(loops.slice(0, 2));
  });
  logger.info('the agent runs', { product, cluster: options.clusterId, routerPort: router?.port });
  const all = stack.move();
  return { routerPort: router?.port, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const startRouter = async (
  { router: { host, port }, logger }: AgentOptions,
  routes: RouteTable,
): Promise<SniRouter | undefined> =>
  port === undefined ? undefined : startSniRouter({ host, port, findBackend: name => routes.find(name), logger });
