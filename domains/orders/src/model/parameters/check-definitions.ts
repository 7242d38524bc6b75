import { firstRepeated } from '@chandlery/api';
import type { ParameterDefinition } from '../../kinds/index.ts';
import { checkValue, isParameterType, parameterTypes } from './parameter-values.ts';

/** What is wrong with a definition, and where. */
export interface DefinitionProblem {
  /** `parameters[2].default`. */
  readonly path: string;
  readonly message: string;
  readonly value?: unknown;
}

/** Names that begin so are the platform's. */
const reservedPrefixes = ['ivcap:', 'cre:'];

/** Whether a name is reserved for the platform. */
export const isReservedName = (name: string): boolean => reservedPrefixes.some(prefix => name.startsWith(prefix));

/** Returns the first problem of the parameters of a service; undefined when there is none. */
export function findDefinitionProblem(parameters: readonly ParameterDefinition[]): DefinitionProblem | undefined {
  const repeated = firstRepeated(parameters.map(({ name }) => name));
  if (repeated !== undefined)
    return { path: 'parameters', message: `parameter '${repeated}' is defined twice`, value: repeated };
  for (const [at, definition] of parameters.entries()) {
    const problem = problemOf(definition);
    if (problem !== undefined) return { ...problem, path: `parameters[${at}].${problem.path}` };
  }
  return undefined;
}

function problemOf(definition: ParameterDefinition): DefinitionProblem | undefined {
  const { name, type, default: fixed, constant, unary, options } = definition;
  const problem = (path: string, message: string, value?: unknown): DefinitionProblem => ({
    path,
    message: `parameter '${name}': ${message}`,
    ...(value === undefined ? {} : { value }),
  });
  if (isReservedName(name))
    return problem('name', `names that begin with ${reservedPrefixes.join(' or ')} are reserved`, name);
  if (!isParameterType(type)) return problem('type', `type must be one of ${parameterTypes.join(', ')}`, type);
  if (type === 'option' && (options ?? []).length === 0) return problem('options', 'an option needs options');
  if (type !== 'option' && options !== undefined && options.length > 0)
    return problem('options', `only an option has options, not a parameter of type ${type}`);
  const repeated = firstRepeated((options ?? []).map(({ value }) => value));
  if (repeated !== undefined) return problem('options', `option '${repeated}' is defined twice`, repeated);
  if (unary === true && type !== 'bool') return problem('unary', `only a bool can be unary, not ${type}`);
  if (constant === true && fixed === undefined) return problem('default', 'a constant needs a default');
  const checked = fixed === undefined ? undefined : checkValue(definition, fixed);
  return checked?.isValid === false ? problem('default', `default ${checked.problem}`, fixed) : undefined;
}
