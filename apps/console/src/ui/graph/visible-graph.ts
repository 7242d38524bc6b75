import { type ObjectState, objectStates } from '@chandlery/api';
import type { Graph, GraphEdge, GraphNode } from './graph.ts';

/** More nodes than these are no drawing that people can read. */
export const maxVisibleNodes = 200;
/** The rest of the places is for folds. */
const maxKeptNodes = 150;
/** When all folds together are still too many, the smaller ones become one. */
const maxFolds = maxVisibleNodes - maxKeptNodes;
/** An opened fold may show this many of its nodes; others have to be found in the list. */
const maxOpened = 100;

/** Nodes that are drawn as one. */
export interface Fold {
  readonly id: string;
  readonly members: readonly string[];
  /** How many of them are in which state. */
  readonly counts: Readonly<Partial<Record<ObjectState, number>>>;
  /** The worst of its members. */
  readonly state: ObjectState;
}

/** The part of a graph that is drawn. */
export interface VisibleGraph {
  readonly nodes: readonly GraphNode[];
  readonly folds: readonly Fold[];
  /** Between nodes and folds, each once. */
  readonly edges: readonly GraphEdge[];
}

export interface VisibilityOptions {
  /** Only what is wrong, and what leads there. Default false. */
  readonly hasOnlyProblems?: boolean;
  /** Nodes that are shown before others: the selected one, and those of opened folds. */
  readonly wanted?: readonly string[];
}

/**
 * Decides what of a graph is drawn. Small graphs are drawn whole. In larger ones come what is wanted, then problems, then
 * what is under way, then what leads to them; the rest is folded, together when it follows the same nodes.
 */
export function visibleGraph(
  graph: Graph,
  { hasOnlyProblems = false, wanted = [] }: VisibilityOptions = {},
): VisibleGraph {
  const { nodes, edges } = hasOnlyProblems ? onlyProblems(graph) : withoutLooseEdges(graph);
  if (nodes.length <= maxVisibleNodes) return { nodes, folds: [], edges: eachOnce(edges) };
  const kept = new Set(byUrgency({ nodes, edges }, wanted).slice(0, maxKeptNodes));
  const folds = foldsOf({ nodes, edges }, kept);
  const placeOf = new Map(folds.flatMap(({ id, members }) => members.map(member => [member, id] as const)));
  const moved = edges.map(edge => ({
    ...edge,
    from: placeOf.get(edge.from) ?? edge.from,
    to: placeOf.get(edge.to) ?? edge.to,
  }));
  return {
    nodes: nodes.filter(({ id }) => kept.has(id)),
    folds,
    edges: eachOnce(moved.filter(({ from, to }) => from !== to)),
  };
}

/** The members of a fold that are shown when it is opened: problems first. */
export function openedMembers({ nodes, edges }: Graph, { members }: Fold): readonly string[] {
  const own = new Set(members);
  return byUrgency({ nodes: nodes.filter(({ id }) => own.has(id)), edges }, []).slice(0, maxOpened);
}

function withoutLooseEdges({ nodes, edges }: Graph): Graph {
  const ids = new Set(nodes.map(({ id }) => id));
  return { nodes, edges: edges.filter(({ from, to }) => ids.has(from) && ids.has(to)) };
}

/** What has failed with all that leads there. Edges that have failed are problems too. */
function onlyProblems(graph: Graph): Graph {
  const { nodes, edges } = withoutLooseEdges(graph);
  const ends = edges.filter(({ state }) => state === 'failed').flatMap(({ from, to }) => [from, to]);
  const failed = nodes.filter(({ state }) => state === 'failed').map(({ id }) => id);
  const shown = ancestorsOf(edges, [...failed, ...ends]);
  return withoutLooseEdges({ nodes: nodes.filter(({ id }) => shown.has(id)), edges });
}

/** Nodes, and all from which an edge leads to them. */
function ancestorsOf(edges: readonly GraphEdge[], starts: readonly string[]): ReadonlySet<string> {
  const incoming = Map.groupBy(edges, ({ to }) => to);
  const found = new Set(starts);
  for (const id of found) for (const { from } of incoming.get(id) ?? []) found.add(from);
  return found;
}

/** The ids of nodes, the most important first; those of equal importance stay in their order. */
function byUrgency({ nodes, edges }: Graph, wanted: readonly string[]): readonly string[] {
  const asked = new Set(wanted);
  const urgent = nodes.filter(({ state }) => urgencyOf(state) < quiet).map(({ id }) => id);
  const leading = ancestorsOf(edges, [...urgent, ...wanted]);
  const rankOf = ({ id, state }: GraphNode): number =>
    asked.has(id) ? -1 : urgencyOf(state) < quiet ? urgencyOf(state) : leading.has(id) ? quiet : quiet + 1;
  return nodes.toSorted((one, other) => rankOf(one) - rankOf(other)).map(({ id }) => id);
}

/** The rank of states that need no attention. */
const quiet = objectStates.indexOf('exists');
const urgencyOf = (state: ObjectState): number => objectStates.indexOf(state);

/** Folds of what is not kept: hidden nodes that hang together and follow the same kept ones are one. */
function foldsOf({ nodes, edges }: Graph, kept: ReadonlySet<string>): readonly Fold[] {
  const hidden = nodes.filter(({ id }) => !kept.has(id));
  const groupOf = connectedGroups(
    hidden.map(({ id }) => id),
    edges.filter(({ from, to }) => !kept.has(from) && !kept.has(to)),
  );
  const before = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    const group = groupOf.get(to);
    if (group === undefined || !kept.has(from)) continue;
    before.set(group, (before.get(group) ?? new Set()).add(from));
  }
  const keys = new Map([...before].map(([group, ids]) => [group, [...ids].toSorted().join('\n')]));
  const keyOf = ({ id }: GraphNode): string => keys.get(groupOf.get(id) ?? '') ?? '';
  const groups = [...Map.groupBy(hidden, keyOf)].toSorted(([, one], [, other]) => other.length - one.length);
  const rest = groups.slice(maxFolds - 1);
  const merged =
    rest.length > 1 ? [...groups.slice(0, maxFolds - 1), ['rest', rest.flatMap(([, all]) => all)] as const] : groups;
  return merged.map(([key, members]) => foldOf(`fold:${key}`, members));
}

function foldOf(id: string, members: readonly GraphNode[]): Fold {
  const counts: Partial<Record<ObjectState, number>> = {};
  for (const { state } of members) counts[state] = (counts[state] ?? 0) + 1;
  const state = objectStates.find(each => counts[each] !== undefined) ?? 'exists';
  return { id, members: members.map(member => member.id), counts, state };
}

/** A name of its group for each node; nodes of a group are connected by edges. */
function connectedGroups(ids: readonly string[], edges: readonly GraphEdge[]): ReadonlyMap<string, string> {
  const neighbours = new Map<string, string[]>(ids.map(id => [id, []]));
  for (const { from, to } of edges) {
    neighbours.get(from)?.push(to);
    neighbours.get(to)?.push(from);
  }
  const groupOf = new Map<string, string>();
  for (const start of ids) {
    if (groupOf.has(start)) continue;
    const found = new Set([start]);
    for (const id of found) {
      groupOf.set(id, start);
      for (const next of neighbours.get(id) ?? []) found.add(next);
    }
  }
  return groupOf;
}

/** Of several edges between two places the worst. */
function eachOnce(edges: readonly GraphEdge[]): readonly GraphEdge[] {
  const byEnds = new Map<string, GraphEdge>();
  for (const edge of edges) {
    const key = `${edge.from}\n${edge.to}`;
    const known = byEnds.get(key);
    if (known === undefined || (edge.state === 'failed' && known.state !== 'failed')) byEnds.set(key, edge);
  }
  return [...byEnds.values()];
}
