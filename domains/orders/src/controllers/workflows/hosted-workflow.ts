import type { Execution, Observation, Step, WorkflowStatus } from '@chandlery/workflow';
import { type ChangedNode, writesOfNodes } from '../../registry/workflows/node-store.ts';
import {
  createRow,
  updateRow,
  type WorkflowRegistry,
  type WorkflowWrite,
} from '../../registry/workflows/workflow-registry.ts';
import type { WorkflowIdentity } from '../../workflow-ports.ts';

type Actions = Pick<Step, 'actions' | 'reissued'>;

/** What a step of an execution leads to, once it is stored. */
export interface StoredStep extends Actions {
  readonly rejections: Step['rejections'];
  /** There is more to do at once. */
  readonly isUnfinished: boolean;
  /** Whether nodes or status changed. */
  readonly isChanged: boolean;
  /** Nodes that the runner has reported the end of. */
  readonly ended: readonly string[];
}

interface HostOptions {
  readonly identity: WorkflowIdentity;
  readonly execution: Execution;
  readonly registry: WorkflowRegistry;
  /** The stored templates that it refers to. Default: none. */
  readonly templates?: Readonly<Record<string, unknown>>;
}

/** A workflow in execution: the engine's state, and what of it is not stored yet. */
export class HostedWorkflow {
  readonly identity: WorkflowIdentity;
  readonly #options: HostOptions;
  #inbox: Observation[] = [];
  /** Changes that no commit has stored yet: the last commit failed. */
  #changed = new Map<string, ChangedNode>();
  #status: WorkflowStatus | undefined;
  #actions: Actions = { actions: [], reissued: [] };
  #rejections: Step['rejections'] = [];
  #ended: string[] = [];

  constructor(options: HostOptions) {
    this.#options = options;
    this.identity = options.identity;
  }

  get execution(): Execution {
    return this.#options.execution;
  }

  get isCompleted(): boolean {
    return this.execution.isCompleted;
  }

  /** How many nodes there are, for the intervals at which the Workflow is written. */
  get nodeCount(): number {
    return this.#options.registry.nodes.count('workflow', this.identity.uid);
  }

  observe(observation: Observation): void {
    this.#inbox.push(observation);
  }

  /**
   * Takes a step with everything that was observed, and stores it in one commit. When that fails, nothing of the step has
   * been carried out, and the next call tries again to store it.
   */
  async advance(now: number): Promise<StoredStep> {
    const observed = this.#inbox;
    this.#inbox = [];
    const step = this.execution.advance(observed, now);
    this.#inbox = [...step.rest, ...this.#inbox];
    this.#remember(step, observed.slice(0, observed.length - step.rest.length));
    const isChanged = this.#changed.size > 0 || this.#status !== undefined;
    if (isChanged) await this.#options.registry.commit(this.#writes());
    const { isUnfinished } = step;
    const stored = { ...this.#actions, rejections: this.#rejections, isChanged, isUnfinished, ended: this.#ended };
    this.#changed = new Map();
    this.#status = undefined;
    this.#actions = { actions: [], reissued: [] };
    this.#rejections = [];
    this.#ended = [];
    return stored;
  }

  #remember({ changed, status, actions, reissued, rejections }: Step, observed: readonly Observation[]): void {
    for (const { node, addedChildren } of changed) {
      const before = this.#changed.get(node.name)?.addedChildren ?? 0;
      this.#changed.set(node.name, { node, addedChildren: before + addedChildren.length });
    }
    this.#status = status ?? this.#status;
    this.#actions = {
      actions: [...this.#actions.actions, ...actions],
      reissued: [...this.#actions.reissued, ...reissued],
    };
    this.#rejections = [...this.#rejections, ...rejections];
    for (const observation of observed)
      if (observation.kind === 'ended' || observation.kind === 'lost') this.#ended.push(observation.node);
  }

  #writes(): WorkflowWrite[] {
    const { registry, identity } = this.#options;
    return [...writesOfNodes(registry, identity, [...this.#changed.values()]), ...this.#statusWrites()];
  }

  #statusWrites(): WorkflowWrite[] {
    const { registry, identity, templates } = this.#options;
    if (this.#status === undefined) return [];
    const status = structuredClone(this.#status) as unknown as Record<string, unknown>;
    const row = registry.executions.get(identity.uid);
    const spec = { workflow: identity.name, ...(templates && { templates }), status };
    return [
      row === undefined
        ? createRow({ table: 'executions', id: identity.uid, tenant: identity.namespace, spec })
        : updateRow({ table: 'executions', row, spec: { ...row.spec, status } }),
    ];
  }
}
