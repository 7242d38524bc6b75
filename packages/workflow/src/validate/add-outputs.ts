import type { Template } from '../document/template.ts';
import { hasResult } from './template-kind.ts';

/** Whether a text contains a tag. */
export const hasTag = (text: string): boolean => /\{\{[-a-zA-Z0-9]+(\.[-a-zA-Z0-9_]+)*\}\}/.test(text);

export interface OutputsOptions {
  /** Where the step or task is found: `steps` or `tasks`. */
  readonly root: 'steps' | 'tasks';
  readonly name: string;
  /** What it runs; undefined when that is known at run time only. */
  readonly template: Template | undefined;
  readonly isAggregate?: boolean;
  /** Ancestors also show how they ended. */
  readonly isAncestor?: boolean;
}

/** Adds what a step or task offers to others to their scope; global outputs to the scope of all. */
export function addOutputs(
  options: OutputsOptions,
  scope: Set<string>,
  globals: Map<string, string>,
  placeholder: () => string,
): void {
  const { root, name, template, isAggregate = false, isAncestor = false } = options;
  const reference = `${root}.${name}`;
  for (const field of ['id', 'startedAt', 'finishedAt', 'hostNodeName']) scope.add(`${reference}.${field}`);
  if (template === undefined) return;
  if (template.daemon === true) scope.add(`${reference}.ip`);
  if (hasResult(template)) scope.add(`${reference}.outputs.result`).add(`${reference}.exitCode`);
  if (isAggregate) scope.add(`${reference}.outputs.parameters`);
  if (isAncestor) scope.add(`${reference}.status`);
  for (const kind of ['parameters', 'artifacts'] as const) {
    for (const { name: output, globalName } of template.outputs?.[kind] ?? []) {
      scope.add(`${reference}.outputs.${kind}.${output}`);
      if (globalName) addGlobal(`workflow.outputs.${kind}.`, globalName, scope, globals, placeholder);
    }
  }
}

/** A name that is a tag may become any name. */
function addGlobal(
  prefix: string,
  name: string,
  scope: Set<string>,
  globals: Map<string, string>,
  placeholder: () => string,
): void {
  const key = hasTag(name) ? `${prefix}*` : prefix + name;
  scope.add(key);
  if (!hasTag(name)) globals.set(key, placeholder());
}
