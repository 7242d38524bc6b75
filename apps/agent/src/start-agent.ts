import { type JsonObject, toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { createWorkQueue, relistPriority, runWorkers, type WorkQueue } from '@chandlery/runtime';
import { ClusterView } from './cluster/cluster-view.ts';
import type { KindResolver } from './cluster/kind-resolver.ts';
import type { ControlPlane } from './control-plane/control-plane.ts';
import { DesiredState } from './control-plane/desired-state.ts';
import { Heartbeat } from './control-plane/heartbeat.ts';
import { Reporter } from './control-plane/reporter.ts';
import { singularOf } from './model/managed-instance.ts';
import type { Program } from './model/program.ts';
import { InstanceReconciler } from './reconcile/instance-reconciler.ts';
import type { RouterAddress } from './reconcile/observe-instance.ts';
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
  const { product, clusterId, logger } = options;
  await using stack = new AsyncDisposableStack();
  const queue = createWorkQueue<string>({ backOff: { baseMs: 200, maxMs: 60_000 } });
  const { view, routes } = await openView(options, queue, stack);
  const router = await startRouter(options, routes);
  if (router !== undefined) stack.use(router);
  const speakers = createSpeakers(options, view, queue);
  const routerAddress = { host: options.router.host, port: router?.port };
  startWorkers(options, { ...speakers, view, queue, routerAddress }, stack);
  speakers.enqueueAll();
  runLoops(options, speakers, stack);
  logger.info('the agent runs', { product, cluster: clusterId, routerPort: router?.port });
  const all = stack.move();
  return { routerPort: router?.port, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Follows the cluster. Changes of instances renew their routes and enqueue them. */
async function openView(options: AgentOptions, queue: WorkQueue<string>, stack: AsyncDisposableStack) {
  const view: ClusterView = new ClusterView({
    ...options,
    onChange: id => {
      routes.refresh(id);
      queue.add(id);
    },
    onError: error => options.logger.warn('a watch of the cluster failed', { error: error.message }),
  });
  const routes = new RouteTable(view);
  stack.use(view);
  await view.open();
  for (const id of view.instanceIds) routes.refresh(id);
  return { view, routes };
}

/** The parts that speak to the control plane. */
interface Speakers {
  readonly desired: DesiredState;
  readonly reporter: Reporter;
  readonly heartbeat: Heartbeat;
  /** Has all instances reconciled, in the background. */
  readonly enqueueAll: () => void;
}

function createSpeakers(options: AgentOptions, view: ClusterView, queue: WorkQueue<string>): Speakers {
  const { controlPlane, logger } = options;
  const desired = new DesiredState({ ...options, onChange: id => queue.add(id) });
  const singular = (): string => singularOf(desired.kind);
  const reporter = new Reporter({ send: statuses => controlPlane.reportInstances(statuses, singular()), logger });
  const enqueueAll = (): void => {
    for (const id of new Set([...desired.ids, ...view.instanceIds])) queue.add(id, { priority: relistPriority });
  };
  const heartbeat = new Heartbeat({ ...options, view, reporter, singular, onProgramChange: enqueueAll });
  return { desired, reporter, heartbeat, enqueueAll };
}

interface WorkerParts extends Speakers {
  readonly view: ClusterView;
  readonly queue: WorkQueue<string>;
  readonly routerAddress: RouterAddress;
}

function startWorkers(
  options: AgentOptions,
  { view, queue, desired, reporter, heartbeat, routerAddress }: WorkerParts,
  stack: AsyncDisposableStack,
): void {
  const { concurrency = 8, logger } = options;
  const program = (): Program | undefined => heartbeat.program;
  const reconciler = new InstanceReconciler({
    ...options,
    view,
    desired,
    reporter,
    program,
    router: () => routerAddress,
  });
  stack.use(
    runWorkers({
      name: 'agent',
      queue,
      concurrency,
      work: (id, context) => reconciler.reconcile(id, context),
      onFailure: ({ key, error }) =>
        logger.warn('an instance needs another attempt', { instance: key, error: error.message }),
    }),
  );
}

/** Polls, reports and beats until the stack is disposed of. */
function runLoops(
  { logger, resyncMs = 60_000 }: AgentOptions,
  { desired, reporter, heartbeat, enqueueAll }: Speakers,
  stack: AsyncDisposableStack,
): void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const resync = setInterval(() => {
    enqueueAll();
    reporter.resync();
  }, resyncMs);
  const loops = [desired.follow(signal), reporter.run(signal)];
  const beating = desired.listed.then(() => heartbeat.run(signal));
  for (const loop of [...loops, beating])
    loop.catch((thrown: unknown) => logger.error('a loop of the agent failed', { error: toError(thrown).message }));
  stack.defer(async () => {
    clearInterval(resync);
    stopping.abort();
    await Promise.allSettled(loops);
  });
}

const startRouter = async (
  { router: { host, port }, logger }: AgentOptions,
  routes: RouteTable,
): Promise<SniRouter | undefined> =>
  port === undefined ? undefined : startSniRouter({ host, port, findBackend: name => routes.find(name), logger });
