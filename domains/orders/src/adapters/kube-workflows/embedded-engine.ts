import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Clock, Logger } from '@chandlery/platform';
import type { RetryOptions, WorkflowDocument } from '@chandlery/workflow';
import { isCompleted } from '../../model/documents/observe-workflow.ts';
import { workflowNamespace } from '../../model/documents/order-document.ts';
import { resumeNodes, retryNodes, setNodes } from '../../model/documents/workflow-nodes.ts';
import type {
  NodeOutputs,
  ReadContainerLog,
  SubmittedWorkflow,
  WorkflowAddress,
  WorkflowEngine,
  WorkflowPlace,
  WorkflowWatch,
} from '../../order-ports.ts';
import { KubeWorkflowStore } from './kube-workflow-store.ts';
import { watchWorkflows } from './watch-workflows.ts';

export interface EmbeddedEngineOptions {
  /** Of the platform cluster. Not disposed of. */
  readonly platform: Client;
  readonly readContainerLog: ReadContainerLog;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The engine of the landscape itself: Workflows of the platform cluster, which `controllers/workflows` executes. */
export class EmbeddedEngine implements WorkflowEngine {
  readonly readLog: ReadContainerLog;
  readonly #store: KubeWorkflowStore;
  readonly #options: EmbeddedEngineOptions;

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options;
    this.#store = new KubeWorkflowStore(options.platform);
    this.readLog = options.readContainerLog;
  }

  placeOf(tenant: string): WorkflowPlace {
    return { namespace: workflowNamespace(tenant) };
  }

  submit(document: WorkflowDocument): Promise<SubmittedWorkflow> {
    return this.#store.submit(document);
  }

  get(address: WorkflowAddress): Promise<KubeObject | undefined> {
    return this.#store.get(address);
  }

  patchSpec(address: WorkflowAddress, spec: Readonly<Record<string, string | boolean>>): Promise<void> {
    return this.#store.patchSpec(address, spec);
  }

  resume(address: WorkflowAddress, selector: string | undefined): Promise<void> {
    const now = this.#options.clock.now().toISOString();
    return this.#store.edit(address, workflow => resumeNodes(workflow, selector, now));
  }

  setOutputs(address: WorkflowAddress, { selector, parameters }: NodeOutputs): Promise<void> {
    return this.#store.edit(address, workflow => setNodes(workflow, selector, parameters));
  }

  retry(address: WorkflowAddress, options: RetryOptions): Promise<void> {
    return this.#store.edit(address, workflow => (isCompleted(workflow) ? retryNodes(workflow, options) : workflow));
  }

  remove(address: WorkflowAddress): Promise<void> {
    return this.#store.remove(address);
  }

  watch(changed: (order: string) => void): WorkflowWatch {
    const { platform: client, logger } = this.#options;
    const informer = watchWorkflows({
      client,
      changed,
      onError: error => logger.warn('Workflows of orders could not be watched', { error: error.message }),
    });
    return {
      synced: informer.synced,
      get: ({ namespace, name }) => informer.get(namespace, name),
      ofOrder: id =>
        informer
          .byIndex('order', id)
          .map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' })),
      [Symbol.asyncDispose]: () => informer.stop(),
    };
  }
}
