import type { Template } from '../document/template.ts';
import { mapScope, type Scope, type ScopeValue } from '../template/scope.ts';

/** The inputs of steps or a dag, for references of its children. */
export function inputScope({ inputs }: Template): Scope {
  const values = new Map<string, ScopeValue>();
  for (const { name, value } of inputs?.parameters ?? []) {
    if (value !== undefined) values.set(`inputs.parameters.${name}`, value);
  }
  for (const artifact of inputs?.artifacts ?? []) values.set(`inputs.artifacts.${artifact.name}`, artifact);
  return mapScope(values);
}

/** Returns whether the standard output of a step or task is referenced. */
export function resultReferences(prefix: 'tasks' | 'steps', template: Template): (name: string) => boolean {
  const text = JSON.stringify(template).replaceAll('\\"', '"');
  const known = new Map<string, boolean>();
  const isReferred = (name: string): boolean =>
    text.includes(`${prefix}.${name}.outputs.result`) ||
    text.includes(`${prefix}['${name}'].outputs.result`) ||
    text.includes(`${prefix}["${name}"].outputs.result`);
  return name => {
    const result = known.get(name) ?? isReferred(name);
    known.set(name, result);
    return result;
  };
}
