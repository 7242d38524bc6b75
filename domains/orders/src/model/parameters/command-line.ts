import type { ParameterDefinition } from '../../kinds/index.ts';
import type { ParameterValue } from './verify-parameters.ts';

/** A value that is handed to a workflow, under the name of its argument. */
export interface NamedArgument extends ParameterValue {
  /** The parameter of the service. */
  readonly parameter: string;
}

/** Names that arguments of a workflow can have. */
const argumentName = /^[A-Za-z0-9_-]+$/;

/** Returns the arguments of a workflow: each has the name of its parameter, unless workflows cannot have such a name. */
export const workflowArguments = (values: readonly ParameterValue[]): readonly NamedArgument[] =>
  values.map(({ name, value }, at) => ({
    parameter: name,
    name: argumentName.test(name) ? name : `parameter-${at}`,
    value,
  }));

/** Kubernetes reads `$(NAME)` and `$$` in arguments of containers: a doubled dollar sign stands for itself. */
const escapeDollars = (value: string): string => value.replaceAll('$', '$$$$');

/** The command line of a container, and the arguments of the workflow that it refers to. */
export interface CommandLine {
  readonly args: readonly string[];
  readonly parameters: readonly ParameterValue[];
}

/**
 * Returns the command line of a container: `--<name> <value>` in the order of the definitions, a unary flag without its
 * value. Values are references to arguments of the workflow, so that whatever they contain is never read as a tag.
 */
export function commandLine(
  definitions: readonly ParameterDefinition[],
  values: readonly ParameterValue[],
): CommandLine {
  const given = workflowArguments(values);
  const parameters = given.map(({ name, value }) => ({ name, value }));
  const args = definitions.flatMap(({ name, unary }, at) => {
    const found = given.find(({ parameter }) => parameter === name);
    if (found === undefined) return [];
    if (unary === true) return found.value === 'true' ? [`--${name}`] : [];
    if (!found.value.includes('$')) return [`--${name}`, `{{workflow.parameters.${found.name}}}`];
    parameters.push({ name: `escaped-${at}`, value: escapeDollars(found.value) });
    return [`--${name}`, `{{workflow.parameters.escaped-${at}}}`];
  });
  return { args, parameters };
}
