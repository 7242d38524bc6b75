import { ChandleryError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type Clock, type Logger, silentLogger, systemClock } from '@chandlery/platform';
import {
  type ControllerMetrics,
  createEventRecorder,
  SharedInformers,
  type WorkQueueObserver,
} from '@chandlery/runtime';
import { defaultJobBackOff, type JobBackOff } from '../../model/workloads/job-back-off.ts';
import type { PodHome, PodNode, PodTokens } from '../../ports.ts';
import { deploymentController } from './deployments.ts';
import { disruptionController } from './disruption-budgets.ts';
import { endpointSliceController } from './endpoint-slices.ts';
import { jobController } from './jobs.ts';
import { Kubelet } from './kubelet.ts';
import { NodeRegistration } from './node-registration.ts';
import { podScheduler } from './pod-scheduler.ts';
import { refs } from './refs.ts';
import { replicaSetController } from './replica-sets.ts';
import { volumeClaimController } from './volume-claims.ts';
import { openCaches } from './workload-caches.ts';
import type { WorkloadDeps } from './workload-deps.ts';

export interface WorkloadsOptions {
  /** A client of the cluster; not disposed of. */
  readonly client: Client;
  /** May be shared by several clusters; not disposed of. */
  readonly node: PodNode;
  /** Distinguishes the cluster's pods from those of others on the node. */
  readonly clusterName: string;
  /** The address of the cluster's API for pods. Default: none. */
  readonly api?: NonNullable<PodHome['api']>;
  /** Issues tokens for pods. Default: the cluster's API, by TokenRequest. */
  readonly tokens?: PodTokens;
  /** The back-off of jobs after failures. Default: Kubernetes' 10 s, doubled up to 10 min. */
  readonly jobBackOff?: JobBackOff;
  /** The grace period of pods when the workloads are stopped. Default 5. */
  readonly stopGraceSeconds?: number;
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Default: none. */
  readonly metrics?: ControllerMetrics;
  /** Observes the queue of a controller. Default: none. */
  readonly queueObserverOf?: (controller: string) => WorkQueueObserver;
}

/**
 * The running workloads of one local cluster. Disposing of them stops their processes; objects and folders stay, and
 * the next start takes them up.
 */
export interface Workloads extends AsyncDisposable {
  /** Resolves when all informers are synced. */
  readonly synced: Promise<void>;
  /** Disposes of them, and deletes what pods and claims left on this machine, because the cluster is deleted. */
  purge(): Promise<void>;
}

/**
 * Starts the controllers that make a logical cluster a Run cluster: of Deployments, ReplicaSets, Jobs, Services,
 * PodDisruptionBudgets and Pods.
 */
export const startWorkloads = (options: WorkloadsOptions): Workloads => new LocalWorkloads(options);

class LocalWorkloads implements Workloads {
  readonly synced: Promise<void>;
  readonly #options: WorkloadsOptions;
  readonly #stack = new AsyncDisposableStack();
  readonly #kubelet: Kubelet;
  #disposal: Promise<void> | undefined;

  constructor(options: WorkloadsOptions) {
    this.#options = options;
    const { jobBackOff = defaultJobBackOff } = options;
    const logger = (options.logger ?? silentLogger).child({ cluster: options.clusterName });
    const onError = (error: Error): void => logger.debug(`watch of workloads: ${error.message}`);
    const informers = this.#stack.use(new SharedInformers({ onError }));
    const deps = this.#openDeps(informers, logger);
    this.#kubelet = this.#stack.use(new Kubelet(deps, homeOf(options)));
    const registration = this.#stack.use(new NodeRegistration(deps));
    const controllers = [
      podScheduler(deps),
      replicaSetController(deps),
      deploymentController(deps),
      jobController(deps, jobBackOff),
      endpointSliceController(deps),
      disruptionController(deps),
      volumeClaimController(deps, options.clusterName),
    ];
    for (const controller of controllers) this.#stack.use(controller).start();
    this.#kubelet.start();
    registration.start();
    this.synced = informers.synced();
    this.synced.catch(() => undefined);
  }

  #openDeps(informers: SharedInformers, logger: Logger): WorkloadDeps {
    const { client, node, clock = systemClock, metrics, queueObserverOf } = this.#options;
    const events = this.#stack.use(createEventRecorder({ client, component: 'chandlery-local', clock }));
    return { client, node, clock, logger, metrics, queueObserverOf, events, caches: openCaches(informers, client) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  /** Stops processes and controllers concurrently: a termination with a long grace period is not awaited. */
  async #dispose(): Promise<void> {
    const { node, clusterName, stopGraceSeconds = 5 } = this.#options;
    await this.#kubelet.detach();
    const released = node.list(clusterName).map(uid => node.releasePod(uid, stopGraceSeconds));
    await Promise.all([this.#stack.disposeAsync(), ...released]);
  }

  async purge(): Promise<void> {
    await this[Symbol.asyncDispose]();
    const { node, clusterName } = this.#options;
    await Promise.all(node.listLeftovers(clusterName).map(uid => node.removePod(uid)));
    await node.removeClaims(clusterName);
  }
}

const homeOf = ({ clusterName, api, tokens, client }: WorkloadsOptions): PodHome => ({
  cluster: clusterName,
  tokens: tokens ?? requestedTokens(client),
  ...(api === undefined ? {} : { api }),
});

/** Requests tokens that are bound to their pod from the cluster's API. */
const requestedTokens = (client: Pick<Client, 'create'>): PodTokens => ({
  async issueToken({ uid, name, namespace, serviceAccount }, { audience, expirationSeconds }) {
    const answer = await client.create<KubeObject>(
      { ...refs.serviceAccounts, namespace, name: serviceAccount, subresource: 'token' },
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: {},
        spec: {
          audiences: audience === undefined ? [] : [audience],
          expirationSeconds,
          boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
        },
      },
    );
    const { token } = answer['status'] as { token?: string };
    if (token === undefined)
      throw new ChandleryError(
        'NoToken',
        `The API gave no token for service account "${namespace}/${serviceAccount}".`,
      );
    return token;
  },
});
