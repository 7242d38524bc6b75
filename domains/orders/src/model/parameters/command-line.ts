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

/**
 * Returns the command line of a container: `--<name> <value>` in the order of the definitions, a unary flag without its
 * value. Values are references to arguments of the workflow, so that whatever they contain is never read as a tag.
 */
export function commandLine(
  definitions: readonly ParameterDefinition[],
  values: readonly NamedArgument[],
): readonly string[] {
  const byParameter = new Map(values.map(value => [value.parameter, value]));
  return definitions.flatMap(({ name, unary }) => {
    const found = byParameter.get(name);
    if (found === undefined) return [];
    if (unary === true) return found.value === 'true' ? [`--${name}`] : [];
    return [`--${name}`, `{{workflow.parameters.${found.name}}}`];
  });
}
