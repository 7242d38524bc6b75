import { badRequest } from '../api-errors.ts';
import { validateLabelValue, validateQualifiedName } from '../names.ts';
import type { LabelOperator, LabelRequirement } from './label-requirement.ts';
import { parseRequirements } from './label-selector-parser.ts';

/** All requirements must hold; none selects everything. */
export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[];
}

/** A selector as objects carry it, in `spec.selector` of a Deployment for one. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

const byteOrder = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** Parses the text form: `app=web,tier in (a,b),!legacy,size>3`. Throws `BadRequest` when it cannot be understood. */
export function parseLabelSelector(text: string): LabelSelector {
  const parsed = parseRequirements(text).map(({ key, operator, values }) => makeRequirement(key, operator, values));
  return { requirements: parsed.toSorted((left, right) => byteOrder(left.key, right.key)) };
}

const operators: ReadonlySet<string> = new Set<LabelOperator>(['In', 'NotIn', 'Exists', 'DoesNotExist']);
const isObjectOperator = (operator: string): operator is LabelOperator => operators.has(operator);

/** The selector that an object states. Throws `BadRequest` when it is not a valid one. */
export function fromLabelSelectorObject({ matchLabels, matchExpressions }: LabelSelectorObject): LabelSelector {
  const labels = Object.entries(matchLabels ?? {}).map(([key, value]) => makeRequirement(key, 'In', [value]));
  const expressions = (matchExpressions ?? []).map(({ key, operator, values }) => {
    if (!isObjectOperator(operator)) throw badRequest(`"${operator}" is not a valid label selector operator`);
    return makeRequirement(key, operator, values ?? []);
  });
  return { requirements: [...labels, ...expressions].toSorted((left, right) => byteOrder(left.key, right.key)) };
}

function makeRequirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const problem = findKeyProblem(key) ?? findCountProblem(operator, values) ?? findValueProblem(key, operator, values);
  if (problem !== undefined) throw badRequest(`unable to parse requirement: ${problem}`);
  return { key, operator, values: [...new Set(values)].sort(byteOrder) };
}

function findKeyProblem(key: string): string | undefined {
  const [error] = validateQualifiedName(key);
  return error === undefined ? undefined : `key: Invalid value: ${JSON.stringify(key)}: ${error}`;
}

function findCountProblem(operator: LabelOperator, values: readonly string[]): string | undefined {
  const refuse = (why: string): string => `values: Invalid value: ${JSON.stringify(values)}: ${why}`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? undefined : refuse("for 'in', 'notin' operators, values set can't be empty");
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0 ? undefined : refuse('values set must be empty for exists and does not exist');
    case 'GreaterThan':
    case 'LessThan':
      return values.length === 1 ? undefined : refuse("for 'Gt', 'Lt' operators, exactly one value is required");
  }
}

function findValueProblem(key: string, operator: LabelOperator, values: readonly string[]): string | undefined {
  const compares = operator === 'GreaterThan' || operator === 'LessThan';
  for (const [index, value] of values.entries()) {
    const quoted = JSON.stringify(value);
    if (compares && parseInteger(value) === undefined) {
      return `values[${index}]: Invalid value: ${quoted}: for 'Gt', 'Lt' operators, the value must be an integer`;
    }
    const [error] = validateLabelValue(value);
    if (error !== undefined) return `values[${index}][${key}]: Invalid value: ${quoted}: ${error}`;
  }
  return undefined;
}

const maxInteger = 2n ** 63n - 1n;

function parseInteger(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return value > maxInteger || value < -maxInteger - 1n ? undefined : value;
}

/** True when an object with these labels (none when undefined) is selected. */
export function matchesLabels(selector: LabelSelector, labels: Readonly<Record<string, string>> | undefined): boolean {
  return selector.requirements.every(requirement => meets(requirement, readLabel(labels, requirement.key)));
}

const readLabel = (labels: Readonly<Record<string, string>> | undefined, key: string): string | undefined =>
  labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;

function meets({ operator, values }: LabelRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'GreaterThan':
      return compareIntegers(value, values[0], difference => difference > 0n);
    case 'LessThan':
      return compareIntegers(value, values[0], difference => difference < 0n);
  }
}

function compareIntegers(
  left: string | undefined,
  right: string | undefined,
  holds: (difference: bigint) => boolean,
): boolean {
  const leftInteger = parseInteger(left ?? '');
  const rightInteger = parseInteger(right ?? '');
  return leftInteger !== undefined && rightInteger !== undefined && holds(leftInteger - rightInteger);
}

/** The text form; parsing it gives the same selector again. */
export const formatLabelSelector = (selector: LabelSelector): string =>
  selector.requirements.map(formatRequirement).join(',');

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  const isSingle = values.length === 1;
  switch (operator) {
    case 'In':
      return isSingle ? `${key}=${values[0]}` : `${key} in (${values.join(',')})`;
    case 'NotIn':
      return isSingle ? `${key}!=${values[0]}` : `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'GreaterThan':
      return `${key}>${values[0]}`;
    case 'LessThan':
      return `${key}<${values[0]}`;
  }
}
