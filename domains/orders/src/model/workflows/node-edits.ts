import { isDeepStrictEqual } from 'node:util';
import type { NodeEdits } from '../../kinds/workflows/index.ts';
import type { KnownStatus } from './join-workflow.ts';

type Node = Readonly<Record<string, unknown>>;
type Nodes = Readonly<Record<string, Node>>;

const completedPhases: ReadonlySet<unknown> = new Set(['Succeeded', 'Failed', 'Error']);

/** Whether a workflow of this phase has completed. */
export const isCompletedPhase = (phase: unknown): boolean => completedPhases.has(phase);

/**
 * What a client changed of the nodes, as far as it means something: the end or the outputs of a suspended node (resume,
 * set, stop), any change that lets a completed workflow run again (retry), all nodes of a new workflow (memoized
 * resubmit). Everything else is what the client read earlier, and is ignored.
 */
export function editsOf(written: KnownStatus, known: KnownStatus | undefined): NodeEdits | undefined {
  if (known === undefined) return Object.keys(written.nodes).length === 0 ? undefined : { nodes: written.nodes };
  if (!isCompletedPhase(known.status['phase'])) return suspendEdits(written.nodes, known.nodes);
  if (isCompletedPhase(written.status['phase'])) return undefined;
  const removed = Object.keys(known.nodes).filter(id => written.nodes[id] === undefined);
  const changed = Object.entries(written.nodes).filter(([id, node]) => !isDeepStrictEqual(node, known.nodes[id]));
  return { restart: true, nodes: Object.fromEntries(changed), removed };
}

function suspendEdits(written: Nodes, known: Nodes): NodeEdits | undefined {
  const edited = Object.entries(written).filter(([id, node]) => isSuspendEdit(node, known[id]));
  return edited.length === 0 ? undefined : { nodes: Object.fromEntries(edited) };
}

/** Whether a node that is suspended is to end, or to have more outputs. */
function isSuspendEdit(written: Node, known: Node | undefined): boolean {
  if (known === undefined || known['type'] !== 'Suspend' || known['phase'] !== 'Running') return false;
  return isCompletedPhase(written['phase']) || suppliedValues(written).size > suppliedValues(known).size;
}

interface WithOutputs {
  readonly outputs?: { readonly parameters?: readonly { readonly name: string; readonly value?: unknown }[] };
}

/** The values of a node's output parameters, as far as they are set. */
export function suppliedValues(node: Node): ReadonlyMap<string, string> {
  const { parameters = [] } = (node as WithOutputs).outputs ?? {};
  return new Map(parameters.flatMap(({ name, value }) => (typeof value === 'string' ? [[name, value] as const] : [])));
}

/** The status as it is shown while edits wait to be taken over. */
export function withEdits(known: KnownStatus, edits: NodeEdits | undefined): KnownStatus {
  if (edits === undefined) return known;
  const { nodes: edited = {}, removed = [], restart = false } = edits;
  const nodes: Record<string, Node> = { ...known.nodes, ...edited };
  for (const id of removed) delete nodes[id];
  if (!restart) return { status: known.status, nodes };
  return { status: restartedStatus(known.status), nodes };
}

/** The status of a workflow that runs again: without what says how it ended. */
export function restartedStatus(ended: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { finishedAt: _, message: __, conditions, ...status } = ended;
  const kept = Array.isArray(conditions) ? { conditions: conditions.filter(({ type }) => type !== 'Completed') } : {};
  return { ...status, ...kept, phase: 'Running' };
}
