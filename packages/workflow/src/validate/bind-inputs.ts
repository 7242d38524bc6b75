import { hasLocation } from '../document/artifact-location.ts';
import type { Arguments, Artifact, Parameter } from '../document/parameters.ts';
import type { Template } from '../document/template.ts';
import { mapScope } from '../template/scope.ts';
import { substitute } from '../template/substitute.ts';
import { refuse } from './problem.ts';

/** Where a template gets its inputs from. */
export interface ArgumentsProvider {
  readonly parameter: (name: string) => Parameter | undefined;
  readonly artifact: (name: string) => Artifact | undefined;
}

export const providerOf = ({ parameters = [], artifacts = [] }: Arguments): ArgumentsProvider => ({
  parameter: name => parameters.find(parameter => parameter.name === name),
  artifact: name => artifacts.find(artifact => artifact.name === name),
});

/** Gives every input some value: for templates whose callers are not known. */
export const anyArguments = (placeholder: () => string): ArgumentsProvider => ({
  parameter: name => ({ name, value: placeholder() }),
  artifact: name => ({ name }),
});

/** The template with its inputs bound and all tags replaced whose values are known. Refuses inputs that get none. */
export function bindInputs(
  template: Template,
  given: ArgumentsProvider,
  values: ReadonlyMap<string, string>,
): Template {
  const parameters = template.inputs?.parameters?.map(parameter => bindParameter(parameter, given));
  const artifacts = template.inputs?.artifacts?.map(artifact => bindArtifact(artifact, given));
  const bound: Template = {
    ...template,
    inputs: { ...(parameters && { parameters }), ...(artifacts && { artifacts }) },
  };
  const first = substitute(bound, mapScope(values), 'unchecked');
  return substitute(first, mapScope(new Map([...values, ...localValues(first)])), 'unchecked');
}

function bindParameter(parameter: Parameter, given: ArgumentsProvider): Parameter {
  const argument = given.parameter(parameter.name);
  const value =
    argument?.value ?? (argument?.valueFrom === undefined ? (parameter.value ?? parameter.default) : undefined);
  const valueFrom = argument?.valueFrom ?? parameter.valueFrom;
  if (value === undefined && valueFrom?.configMapKeyRef === undefined)
    refuse(`inputs.parameters.${parameter.name} was not supplied`);
  return value === undefined ? parameter : { ...parameter, value };
}

function bindArtifact(artifact: Artifact, given: ArgumentsProvider): Artifact {
  const argument = given.artifact(artifact.name);
  if (argument === undefined && artifact.optional !== true && !hasLocation(artifact)) {
    refuse(`inputs.artifacts.${artifact.name} was not supplied`);
  }
  const { path, mode } = artifact;
  return argument === undefined
    ? artifact
    : { ...argument, ...(path !== undefined && { path }), ...(mode !== undefined && { mode }) };
}

/** Values that a template itself makes known. */
function* localValues({ inputs, outputs }: Template): Generator<[string, string]> {
  for (const { name, value } of inputs?.parameters ?? [])
    if (value !== undefined) yield [`inputs.parameters.${name}`, value];
  yield ['inputs.parameters', JSON.stringify(inputs?.parameters ?? [])];
  for (const { name, path } of inputs?.artifacts ?? []) if (path) yield [`inputs.artifacts.${name}.path`, path];
  for (const { name, path } of outputs?.artifacts ?? []) if (path) yield [`outputs.artifacts.${name}.path`, path];
  for (const { name, valueFrom } of outputs?.parameters ?? []) {
    if (valueFrom?.path) yield [`outputs.parameters.${name}.path`, valueFrom.path];
  }
}
