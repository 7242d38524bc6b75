import { arch, platform, release, type } from 'node:os';
import { formatMicroTime, isError } from '@chandlery/api';
import {
  type Controller,
  createController,
  isTerminating,
  type StepContext,
  type StepResult,
} from '@chandlery/runtime';
import { architectureOf, describeNode, type MachineFacts, nodeLabels } from '../../model/workloads/node-object.ts';
import type { NodeObject } from '../../model/workloads/placement.ts';
import { refs } from './refs.ts';
import { plainOptions, type WorkloadDeps } from './workload-deps.ts';

/** The lease only shows when the node was last active; no controller evicts its pods. */
const renewMs = 300_000;
const leaseNamespace = 'kube-node-lease';

const factsOfMachine = (): MachineFacts => ({
  os: platform() === 'win32' ? 'windows' : platform(),
  arch: architectureOf(arch()),
  kernelVersion: release(),
  osImage: type(),
  version: 'v1.32.0-chandlery',
});

/** Keeps the Node object and its Lease. */
export class NodeRegistration implements AsyncDisposable {
  readonly #deps: WorkloadDeps;
  readonly #facts = factsOfMachine();
  readonly #controller: Controller;
  readonly #unlisten: () => void;
  #timer: NodeJS.Timeout | undefined;
  #pending: Promise<unknown> = Promise.resolve();
  #isStopped = false;

  constructor(deps: WorkloadDeps) {
    this.#deps = deps;
    const { nodes } = deps.caches;
    this.#controller = createController<NodeObject, undefined>({
      ...plainOptions<NodeObject>(deps, 'node-registration'),
      for: { ref: refs.nodes, informer: nodes },
      filter: key => key === this.#name,
      steps: [this.#describe],
      needs: undefined,
    });
    // A deleted node is created again: its pods still run here.
    this.#unlisten = nodes.listen({ deleted: ({ metadata }) => metadata.name === this.#name && this.#register() });
  }

  get #name(): string {
    return this.#deps.node.machine.name;
  }

  start(): void {
    this.#controller.start();
    this.#register();
    this.#renew();
    this.#timer = setInterval(() => this.#renew(), renewMs);
    this.#timer.unref();
  }

  readonly #describe = (node: NodeObject, _: undefined, { now }: StepContext): StepResult => {
    const { machine } = this.#deps.node;
    node.metadata.labels = { ...node.metadata.labels, ...nodeLabels(machine, this.#facts) };
    node.status = { ...node.status, ...describeNode(machine, this.#facts, node.status, now) };
    return 'continue';
  };

  #register(): void {
    const labels = nodeLabels(this.#deps.node.machine, this.#facts);
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: this.#name, labels }, spec: {} };
    this.#try('register the node', () => this.#create(refs.nodes, node));
  }

  #renew(): void {
    this.#try('renew the lease of the node', async () => {
      const { client, clock } = this.#deps;
      const spec = {
        holderIdentity: this.#name,
        leaseDurationSeconds: (2 * renewMs) / 1000,
        renewTime: formatMicroTime(clock.now()),
      };
      const place = { ...refs.leases, namespace: leaseNamespace };
      const metadata = { name: this.#name, namespace: leaseNamespace };
      try {
        await client.patch({ ...place, name: this.#name }, { type: 'merge', body: { spec } });
      } catch (error) {
        if (!isError(error, 'NotFound')) throw error;
        const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: leaseNamespace } };
        await this.#create(refs.namespaces, namespace);
        await this.#create(place, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec });
      }
    });
  }

  async #create(...[ref, object]: Parameters<WorkloadDeps['client']['create']>): Promise<void> {
    try {
      await this.#deps.client.create(ref, object);
    } catch (error) {
      if (!isError(error, 'AlreadyExists')) throw error;
    }
  }

  /** Serialises actions; failures are retried a little later. */
  #try(what: string, act: () => Promise<void>): void {
    const attempt = async (): Promise<void> => {
      if (this.#isStopped) return;
      try {
        await act();
      } catch (error) {
        const level = isTerminating(error) ? 'debug' : 'warn';
        this.#deps.logger[level](`cannot ${what}: ${error instanceof Error ? error.message : String(error)}`);
        setTimeout(() => this.#try(what, act), 5000).unref();
      }
    };
    this.#pending = this.#pending.then(attempt);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#unlisten();
    await this.#controller.stop();
    await this.#pending;
  }
}
