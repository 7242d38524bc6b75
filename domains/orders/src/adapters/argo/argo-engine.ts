import { ChandleryError, isError, type KubeObject } from '@chandlery/api';
import type { Clock, Logger } from '@chandlery/platform';
import type { RetryOptions, WorkflowDocument } from '@chandlery/workflow';
import { argoDocument, argoNamespace } from '../../model/argo/argo-document.ts';
import { withoutExecutorLines } from '../../model/argo/argo-lines.ts';
import { retryOnArgo } from '../../model/argo/argo-retry.ts';
import type { ArgoSettings } from '../../model/argo/argo-settings.ts';
import { expandNodes, isOffloaded, packLike } from '../../model/argo/compressed-nodes.ts';
import { isCompleted } from '../../model/documents/observe-workflow.ts';
import { podsOf } from '../../model/documents/order-pods.ts';
import { resumeNodes, setNodes } from '../../model/documents/workflow-nodes.ts';
import type {
  ArgoCluster,
  ConnectArgo,
  ContainerRef,
  NodeOutputs,
  SubmittedWorkflow,
  WorkflowAddress,
  WorkflowEngine,
  WorkflowPlace,
  WorkflowWatch,
} from '../../order-ports.ts';
import type { NodeLogs } from '../../workflow-ports.ts';
import { KubeWorkflowStore } from '../kube-workflows/kube-workflow-store.ts';
import { ArgoConnection } from './argo-connection.ts';
import { ArgoServer } from './argo-server.ts';
import type { LogCapture } from './log-capture.ts';
import { watchArgo } from './watch-argo.ts';

export interface ArgoEngineOptions {
  readonly settings: ArgoSettings;
  readonly connect: ConnectArgo;
  /** Where logs are stored while containers run. */
  readonly logs: NodeLogs;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The Argo of a cluster: Workflows are objects there, and its own controller executes them. */
export class ArgoEngine implements WorkflowEngine, AsyncDisposable {
  readonly #options: ArgoEngineOptions;
  readonly #connection: ArgoConnection;
  readonly #server: ArgoServer | undefined;
  #store: { readonly cluster: ArgoCluster; readonly workflows: KubeWorkflowStore } | undefined;
  /** Of the watch that is open. */
  #capture: (() => LogCapture | undefined) | undefined;

  constructor(options: ArgoEngineOptions) {
    this.#options = options;
    const { settings, connect } = options;
    this.#connection = new ArgoConnection(settings.cluster, connect);
    this.#server = settings.server && new ArgoServer(settings.server);
  }

  placeOf(tenant: string): WorkflowPlace {
    const { settings } = this.#options;
    return { namespace: argoNamespace(settings, tenant), cluster: settings.cluster };
  }

  async submit(document: WorkflowDocument, tenant: string): Promise<SubmittedWorkflow> {
    const { settings } = this.#options;
    const adapted = argoDocument(document, settings, tenant);
    const { workflows } = await this.#open();
    await this.#server?.lint(adapted);
    return { ...(await workflows.submit(adapted)), cluster: settings.cluster };
  }

  async get(address: WorkflowAddress): Promise<KubeObject | undefined> {
    const found = await (await this.#open()).workflows.get(address);
    if (found === undefined || !isOffloaded(found)) return found && expandNodes(found);
    return this.#serverFor(found).get(address);
  }

  async patchSpec(address: WorkflowAddress, spec: Readonly<Record<string, string | boolean>>): Promise<void> {
    await (await this.#open()).workflows.patchSpec(address, spec);
  }

  async resume(address: WorkflowAddress, selector: string | undefined): Promise<void> {
    const now = goTime(this.#options.clock.now());
    await this.#edit(address, {
      change: workflow => resumeNodes(workflow, selector, now),
      byServer: server => server.resume(address, selector),
    });
  }

  async setOutputs(address: WorkflowAddress, outputs: NodeOutputs): Promise<void> {
    await this.#edit(address, {
      change: workflow => setNodes(workflow, outputs.selector, outputs.parameters),
      byServer: server => server.setOutputs(address, outputs),
    });
  }

  /** Pods of nodes that are executed again are removed first: Argo would take their end for that of the new attempt. */
  async retry(address: WorkflowAddress, options: RetryOptions): Promise<void> {
    await this.#edit(address, {
      change: async workflow => {
        if (!isCompleted(workflow)) return workflow;
        const again = retryOnArgo(workflow, options, goTime(this.#options.clock.now()));
        await this.#removePods(address, workflow, again);
        return again;
      },
      byServer: server => server.retry(address, options),
    });
  }

  async remove(address: WorkflowAddress): Promise<void> {
    await (await this.#open()).workflows.remove(address);
  }

  async readLog(container: ContainerRef): Promise<AsyncIterable<Uint8Array> | undefined> {
    const { cluster } = await this.#open();
    const { signal } = new AbortController();
    try {
      return withoutExecutorLines(await cluster.readLog(container, { isFollowed: false, signal }));
    } catch (error) {
      if (isError(error, 'BadRequest')) return undefined;
      if (!isError(error, 'NotFound')) throw error;
    }
    await this.#capture?.()?.settled(container);
    const stored = await this.#options.logs.read(container);
    return stored && withoutExecutorLines(stored);
  }

  watch(changed: (order: string) => void): WorkflowWatch {
    const { settings, logs, logger } = this.#options;
    const { capture, ...watch } = watchArgo({ connection: this.#connection, settings, logs, logger, changed });
    this.#capture = capture;
    return watch;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection[Symbol.asyncDispose]();
    await this.#server?.[Symbol.asyncDispose]();
  }

  async #open() {
    const cluster = await this.#connection.open();
    if (this.#store?.cluster !== cluster) this.#store = { cluster, workflows: new KubeWorkflowStore(cluster.client) };
    return this.#store;
  }

  /** Changes nodes in the object, as Argo's command line does; offloaded ones by the server. */
  async #edit(address: WorkflowAddress, { change, byServer }: NodeChange): Promise<void> {
    const { workflows } = await this.#open();
    const found = await workflows.get(address);
    if (found !== undefined && isOffloaded(found)) return byServer(this.#serverFor(found));
    await workflows.edit(address, async workflow => packLike(workflow, await change(expandNodes(workflow))));
  }

  async #removePods({ namespace }: WorkflowAddress, before: KubeObject, after: KubeObject): Promise<void> {
    const { cluster } = await this.#open();
    const kept = new Set(podsOf(after));
    for (const name of podsOf(before).filter(pod => !kept.has(pod)))
      await cluster.client
        .delete({ group: '', version: 'v1', plural: 'pods', namespace, name })
        .catch((error: unknown) => {
          if (!isError(error, 'NotFound')) throw error;
        });
  }

  #serverFor({ metadata }: KubeObject): ArgoServer {
    if (this.#server !== undefined) return this.#server;
    const { cluster } = this.#options.settings;
    throw new ChandleryError(
      'NodesOffloaded',
      `the nodes of Workflow ${metadata.name ?? ''} are in the database of the Argo of cluster "${cluster}"`,
      { hint: 'Set "server" of this cluster in the setting "argo" of orders to the URL of the Argo server.' },
    );
  }
}

interface NodeChange {
  readonly change: (workflow: KubeObject) => KubeObject | Promise<KubeObject>;
  readonly byServer: (server: ArgoServer) => Promise<void>;
}

/** RFC 3339 in whole seconds, as all times of Kubernetes. */
const goTime = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, 'Z');
