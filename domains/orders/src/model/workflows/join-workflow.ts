import type { KubeObject } from '@chandlery/api';
import { type NodeEdits, type WorkflowJoin, type WorkflowRecord, workflowLabels } from '../../kinds/workflows/index.ts';
import { editsOf, isCompletedPhase, withEdits } from './node-edits.ts';
import { inWholeSeconds } from './whole-seconds.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What is known of an execution: everything that a Workflow's status shows. */
export interface KnownStatus {
  /** Without nodes. */
  readonly status: Fields;
  readonly nodes: Readonly<Record<string, Fields>>;
}

/** Finds the status of executions by the uid of their Workflow; undefined for one that has not begun. */
export interface StatusSource {
  statusOf(uid: string): KnownStatus | undefined;
}

/**
 * Shows records as Workflows with all nodes, and takes Workflows apart. Kinds are declared before the executions are
 * known: until a source is attached, Workflows are shown with what the record says.
 */
export class StatusJoin implements WorkflowJoin {
  #source: StatusSource | undefined;

  /** Returns how to detach the source. */
  attach(source: StatusSource): () => void {
    this.#source = source;
    return () => {
      this.#source = undefined;
    };
  }

  readonly show = (record: KubeObject): KubeObject => {
    const { edits, nodesVersion: _, ...shown } = record as WorkflowRecord;
    const known = this.#known(record) ?? { status: statusOf(record), nodes: {} };
    if (Object.keys(known.status).length === 0 && edits === undefined) return shown;
    const { status, nodes } = inWholeSeconds(withEdits(known, edits));
    return {
      ...shown,
      metadata: withPhaseLabels(shown.metadata, status),
      status: { ...status, ...(Object.keys(nodes).length > 0 && { nodes }) },
    };
  };

  readonly store = (workflow: KubeObject): KubeObject => {
    const known = this.#known(workflow);
    const { nodes, ...status } = statusOf(workflow);
    const edits: NodeEdits | undefined = editsOf({ status, nodes: nodes ?? {} }, known && inWholeSeconds(known));
    const { status: _, ...rest } = workflow;
    return {
      ...rest,
      ...(Object.keys(known?.status ?? status).length > 0 && { status: known?.status ?? status }),
      ...(edits && { edits }),
    };
  };

  #known({ metadata }: KubeObject): KnownStatus | undefined {
    return this.#source?.statusOf(metadata.uid ?? '');
  }
}

/** The labels that follow from the phase, which the record may not have yet. */
function withPhaseLabels(metadata: KubeObject['metadata'], { phase }: Fields): KubeObject['metadata'] {
  if (typeof phase !== 'string' || phase === '') return metadata;
  return { ...metadata, labels: { ...metadata.labels, ...phaseLabels(phase) } };
}

/** Argo's labels for a phase. */
export const phaseLabels = (phase: string): Readonly<Record<string, string>> => ({
  [workflowLabels.phase]: phase,
  [workflowLabels.completed]: String(isCompletedPhase(phase)),
});

const statusOf = (workflow: KubeObject): Fields & { readonly nodes?: Readonly<Record<string, Fields>> } =>
  (workflow['status'] ?? {}) as Fields;
