import { ChandleryError, isJsonObject, type JsonObject } from '@chandlery/api';
import { didYouMean } from '@chandlery/platform';
import type { SmObject } from './sm-types.ts';

/** A parameter of a plan. */
export interface PlanParameter {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
  /** The only values that there are. Default: any. */
  readonly choices: readonly (string | number | boolean)[];
}

/** The parameters of a plan, as its schema says; undefined when it says nothing. */
export function parametersOfPlan({ schemas }: SmObject): readonly PlanParameter[] | undefined {
  const schema = at(schemas, 'service_instance', 'create', 'parameters');
  const properties = at(schema, 'properties');
  if (properties === undefined) return undefined;
  const required = Array.isArray(schema?.['required']) ? schema['required'] : [];
  return Object.entries(properties).map(([name, property]) => {
    const { type, description, enum: choices } = isJsonObject(property) ? property : {};
    return {
      name,
      type: typeof type === 'string' ? type : 'string',
      isRequired: required.includes(name),
      description: typeof description === 'string' ? description : '',
      choices: Array.isArray(choices) ? choices.filter(isScalar) : [],
    };
  });
}

function at(value: unknown, ...path: readonly string[]): JsonObject | undefined {
  let found: unknown = value;
  for (const name of path) found = isJsonObject(found) ? found[name] : undefined;
  return isJsonObject(found) ? found : undefined;
}

/** Turns `NAME=VALUE` into parameters of a plan. Rejects with `InvalidParameter` what the plan does not have, or lacks. */
export function readParameters(plan: SmObject, values: Readonly<Record<string, string>>): JsonObject {
  const known = parametersOfPlan(plan);
  if (known === undefined) return { ...values };
  const missing = known.filter(({ name, isRequired }) => isRequired && values[name] === undefined);
  const entries = Object.entries(values).map(([name, text]) => [name, readValue(known, name, text)] as const);
  if (missing.length > 0) {
    const names = missing.map(({ name }) => `"${name}"`).join(', ');
    throw invalid(`parameter ${names} is missing`, known);
  }
  return Object.fromEntries(entries) as JsonObject;
}

function readValue(known: readonly PlanParameter[], name: string, text: string): unknown {
  const parameter = known.find(candidate => candidate.name === name);
  if (parameter === undefined) {
    const names = known.map(candidate => candidate.name);
    throw invalid(`there is no parameter "${name}"${didYouMean(name, names)}`, known);
  }
  const value = parameter.type === 'string' ? text : parsed(text);
  const isFitting = parameter.choices.length === 0 || (isScalar(value) && parameter.choices.includes(value));
  if (value !== undefined && isFitting) return value;
  const wanted = parameter.choices.length > 0 ? `one of ${parameter.choices.join(', ')}` : `of type ${parameter.type}`;
  throw invalid(`parameter "${name}" must be ${wanted}, not "${text}"`, known);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const invalid = (message: string, known: readonly PlanParameter[]): ChandleryError =>
  new ChandleryError('InvalidParameter', message, {
    hint: `Give parameters with -p NAME=VALUE: ${known.map(parameterText).join(', ') || 'there are none'}.`,
  });

/** `version (required)`. */
export const parameterText = ({ name, isRequired }: PlanParameter): string =>
  isRequired ? `${name} (required)` : name;

/** The command that orders a plan. */
export function exampleOf(offering: string, plan: SmObject): string {
  const required = (parametersOfPlan(plan) ?? []).filter(({ isRequired }) => isRequired);
  const given = required.map(({ name, choices }) => ` -p ${name}=${String(choices[0] ?? '…')}`).join('');
  const named = plan.name === 'default' ? '' : ` --plan ${plan.name ?? ''}`;
  return `npx chandlery order create ${offering}${named}${given} --wait`;
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
