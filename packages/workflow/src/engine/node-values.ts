import { goJson } from '../document/go-json.ts';
import type { Parameter } from '../document/parameters.ts';
import type { Template } from '../document/template.ts';
import { WorkflowError } from '../errors.ts';
import type { Scope, ScopeValue } from '../template/scope.ts';
import type { Core } from './core.ts';
import { goTime } from './go-time.ts';
import { parseItem } from './loop.ts';
import type { NodeStatus } from './node-status.ts';

/** What can be read of one node, by the part of the key after its name: `outputs.result`. */
export type NodeValues = Map<string, ScopeValue>;

/** The last attempt of a Retry node; any other node itself. */
export function attemptOf(core: Core, node: NodeStatus): NodeStatus {
  if (node.type !== 'Retry' || node.memoizationStatus?.hit === true) return node;
  const attempts = core.nodes.childrenOf(node).filter(child => child.nodeFlag?.hooked !== true);
  return attempts.at(-1) ?? node;
}

/** The values of a node that ran. */
export function valuesOfNode(core: Core, source: NodeStatus): NodeValues {
  const node = attemptOf(core, source);
  const values: NodeValues = new Map();
  values.set('id', node.id);
  values.set('status', node.phase);
  values.set('startedAt', goTime(Date.parse(node.startedAt)));
  if (node.finishedAt !== undefined) values.set('finishedAt', goTime(Date.parse(node.finishedAt)));
  if (node.podIP !== undefined) values.set('ip', node.podIP);
  if (node.hostNodeName !== undefined) values.set('hostNodeName', node.hostNodeName);
  const { result, exitCode, parameters = [], artifacts = [] } = node.outputs ?? {};
  if (result !== undefined) values.set('outputs.result', core.inert(result));
  if (exitCode !== undefined) values.set('exitCode', exitCode);
  for (const { name, value } of parameters) {
    if (value !== undefined) values.set(`outputs.parameters.${name}`, core.inert(value));
  }
  for (const artifact of artifacts) values.set(`outputs.artifacts.${artifact.name}`, artifact);
  return values;
}

/** Adds what the template of a skipped node declares: defaults, or null where there is none. */
export function addSkippedValues(
  values: NodeValues,
  node: NodeStatus,
  template: Template | undefined,
  withArtifacts: boolean,
): void {
  const isSkipped = node.phase === 'Skipped' || node.phase === 'Omitted';
  if (!isSkipped || node.outputs !== undefined || template === undefined) return;
  for (const { name, valueFrom } of template.outputs?.parameters ?? []) {
    values.set(`outputs.parameters.${name}`, valueFrom?.default ?? null);
  }
  if (withArtifacts) {
    for (const { name } of template.outputs?.artifacts ?? []) values.set(`outputs.artifacts.${name}`, { name });
  }
}

/** Adds the lists of outputs of the children of a loop. Throws when a result is not JSON. */
export function addAggregates(core: Core, values: NodeValues, children: readonly NodeStatus[]): void {
  if (children.length === 0) return;
  const succeeded = children.filter(({ phase, outputs }) => phase === 'Succeeded' && outputs !== undefined);
  const results = succeeded.flatMap(({ outputs }) =>
    outputs?.result === undefined ? [] : [parseItem(outputs.result)],
  );
  const lists = succeeded.map(({ outputs }) => outputs?.parameters ?? []).filter(list => list.length > 0);
  const set = (key: string, text: string): unknown => values.set(key, core.inert(text));
  set('outputs.result', goJson(results));
  set('outputs.parameters', goJson(lists.map(list => Object.fromEntries(list.map(nameAndValue)))));
  const byName = Map.groupBy(lists.flat(), ({ name }) => name);
  for (const [name, parameters] of byName) {
    set(`outputs.parameters.${name}`, aggregate(parameters.map(({ value }) => value ?? '')));
  }
}

const nameAndValue = ({ name, value }: Parameter): [string, string] => [name, value ?? ''];

/** A list of texts; when all are JSON objects or lists, of what they contain. */
function aggregate(texts: readonly string[]): string {
  const parsed = texts.map(containerOf);
  return parsed.includes(undefined) ? goJson([...texts]) : goJson(parsed as never);
}

function containerOf(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

/** A scope over the values of named nodes: `tasks.<name>.…`. */
export function nodeScope(
  prefix: 'tasks' | 'steps',
  names: () => Iterable<string>,
  valuesOf: (name: string) => NodeValues | undefined,
): Scope {
  const split = (key: string): readonly [name: string, rest: string] | undefined => {
    if (!key.startsWith(`${prefix}.`)) return undefined;
    const end = key.indexOf('.', prefix.length + 1);
    return end < 0 ? [key.slice(prefix.length + 1), ''] : [key.slice(prefix.length + 1, end), key.slice(end + 1)];
  };
  const keysOf = (name: string): string[] => [...(valuesOf(name)?.keys() ?? [])].map(key => `${prefix}.${name}.${key}`);
  return {
    get: key => {
      const parts = split(key);
      return parts === undefined ? undefined : valuesOf(parts[0])?.get(parts[1]);
    },
    keysUnder: start => {
      if (start === prefix) return [...names()].flatMap(keysOf);
      const parts = split(start);
      if (parts === undefined) return [];
      return keysOf(parts[0]).filter(key => key === start || key.startsWith(`${start}.`));
    },
  };
}

/** The artifact that a reference names. */
export function artifactAt(scope: Scope, reference: string): Exclude<ScopeValue, string | null> | undefined {
  const key = reference.replace(/^\{\{/, '').replace(/\}\}$/, '').trim();
  const value = scope.get(key);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') throw new WorkflowError('unresolved-tag', `Variable {{${key}}} is not an artifact`);
  return value;
}
