import { isError, type KubeObject } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { createInformer, type Informer, withoutManagedFields } from '@chandlery/runtime';
import { workflowLabels } from '../../kinds/workflows/index.ts';
import type { ArgoCluster, ContainerRef } from '../../order-ports.ts';
import type { NodeLogs } from '../../workflow-ports.ts';

export interface LogCaptureOptions {
  readonly cluster: ArgoCluster;
  /** Where logs are stored. */
  readonly logs: NodeLogs;
  readonly logger: Logger;
}

interface PodStatus {
  readonly containerStatuses?: readonly {
    readonly name: string;
    readonly state?: { readonly running?: object; readonly terminated?: object };
  }[];
}

/** Containers of Argo itself. */
const isArgoContainer = (name: string): boolean => name === 'wait' || name.startsWith('artifact-plugin-');

/**
 * Stores what the containers of orders print while they run: Argo removes pods, and with them their logs, when it likes.
 * Each container is followed from its start to its end, once for each pod.
 */
export class LogCapture implements AsyncDisposable {
  readonly #options: LogCaptureOptions;
  readonly #informer: Informer;
  readonly #stopping = new AbortController();
  /** By container, the capture of its newest pod. */
  readonly #captures = new Map<string, { readonly podUid: string; readonly done: Promise<void> }>();

  constructor(options: LogCaptureOptions) {
    this.#options = options;
    const { cluster, logger } = options;
    this.#informer = createInformer<KubeObject>({
      client: cluster.client,
      ref: { group: '', version: 'v1', plural: 'pods' },
      labelSelector: workflowLabels.workflow,
      transform: withoutManagedFields,
      onError: error => logger.warn('pods of orders could not be watched', { error: error.message }),
    });
    const look = (pod: KubeObject): void => this.#look(pod);
    this.#informer.listen({ added: look, updated: look, deleted: pod => this.#forget(pod) });
    this.#informer.start();
  }

  /** Resolves when a capture of the container that is under way has ended. */
  async settled(container: ContainerRef): Promise<void> {
    await this.#captures.get(keyOf(container))?.done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#informer.stop();
    await Promise.all([...this.#captures.values()].map(({ done }) => done));
  }

  #look(pod: KubeObject): void {
    const { name = '', namespace = '', uid = '', labels = {} } = pod.metadata;
    if (!labels[workflowLabels.workflow]?.startsWith('order-')) return;
    const { containerStatuses = [] } = (pod['status'] ?? {}) as PodStatus;
    for (const { name: container, state } of containerStatuses) {
      const ref = { namespace, pod: name, container };
      const hasStarted = state?.running !== undefined || state?.terminated !== undefined;
      if (!hasStarted || isArgoContainer(container) || this.#captures.get(keyOf(ref))?.podUid === uid) continue;
      this.#captures.set(keyOf(ref), { podUid: uid, done: this.#capture(pod, ref) });
    }
  }

  async #capture({ metadata }: KubeObject, container: ContainerRef): Promise<void> {
    const { cluster, logs, logger } = this.#options;
    const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'Workflow')?.uid ?? metadata.uid ?? '';
    try {
      const lines = await cluster.readLog(container, { isFollowed: true, signal: this.#stopping.signal });
      await logs.write(owner, container, lines);
    } catch (error) {
      if (this.#stopping.signal.aborted || isError(error, 'NotFound')) return;
      logger.warn('the log of a container could not be stored', { ...container, error });
    }
  }

  /** The log stays: it is removed with the Workflow. */
  #forget({ metadata, ...pod }: KubeObject): void {
    const { containerStatuses = [] } = (pod['status'] ?? {}) as PodStatus;
    for (const { name: container } of containerStatuses) {
      const key = keyOf({ namespace: metadata.namespace ?? '', pod: metadata.name ?? '', container });
      const capture = this.#captures.get(key);
      if (capture?.podUid !== metadata.uid) continue;
      void capture?.done.then(() => {
        if (this.#captures.get(key) === capture) this.#captures.delete(key);
      });
    }
  }
}

const keyOf = ({ namespace, pod, container }: ContainerRef): string => `${namespace}/${pod}/${container}`;
