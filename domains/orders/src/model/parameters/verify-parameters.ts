import { didYouMean } from '@chandlery/platform';
import type { ParameterDefinition } from '../../kinds/index.ts';
import { parseUrn } from '../urns.ts';
import { isReservedName } from './check-definitions.ts';
import { checkValue } from './parameter-values.ts';

/** A name and a value, which is always text. */
export interface ParameterValue {
  readonly name: string;
  readonly value: string;
}

/** What a reference of a parameter can refer to. */
export type ReferenceKind = 'artifact' | 'collection' | 'queue';

/** Says what is wrong with a reference, for the identity of the orderer: it does not exist, or is not ready. */
export type CheckReference = (kind: ReferenceKind, id: string) => string | undefined;

/** Why an order cannot be accepted. */
export interface ParameterProblem {
  /** The parameter. */
  readonly name: string;
  readonly message: string;
  readonly value?: string;
}

/** Verified values in the order of the definitions, with defaults and constants, or the first problem. */
export type VerifiedParameters =
  | { readonly values: readonly ParameterValue[]; readonly problem?: undefined }
  | { readonly problem: ParameterProblem };

/** Verifies what an order gives for the parameters of a service. Nothing is created before this has succeeded. */
export function verifyParameters(
  definitions: readonly ParameterDefinition[],
  supplied: readonly ParameterValue[],
  checkReference: CheckReference,
): VerifiedParameters {
  const problem = findNameProblem(definitions, supplied) ?? findConstantProblem(definitions, supplied);
  if (problem !== undefined) return { problem };
  const byName = new Map(supplied.map(({ name, value }) => [name, value]));
  const values: ParameterValue[] = [];
  for (const definition of definitions) {
    const verified = verifyOne(definition, byName.get(definition.name), checkReference);
    if (verified === undefined) continue;
    if ('message' in verified) return { problem: verified };
    values.push(verified);
  }
  return { values };
}

function findNameProblem(
  definitions: readonly ParameterDefinition[],
  supplied: readonly ParameterValue[],
): ParameterProblem | undefined {
  const declared = new Set(definitions.map(({ name }) => name));
  for (const { name, value } of supplied) {
    if (isReservedName(name)) return { name, value, message: `parameter '${name}' is reserved for the platform` };
    if (declared.has(name)) continue;
    return { name, value, message: `the service has no parameter '${name}'${didYouMean(name, [...declared])}` };
  }
  const seen = new Set<string>();
  for (const { name, value } of supplied) {
    if (seen.has(name)) return { name, value, message: `parameter '${name}' is given twice` };
    seen.add(name);
  }
  return undefined;
}

/** A constant may be given only with the value that it has, in any form of its type. */
function findConstantProblem(
  definitions: readonly ParameterDefinition[],
  supplied: readonly ParameterValue[],
): ParameterProblem | undefined {
  for (const definition of definitions) {
    const { name, constant, default: fixed = '' } = definition;
    const given = constant === true ? supplied.find(parameter => parameter.name === name) : undefined;
    if (given === undefined || isSameValue(definition, given.value, fixed)) continue;
    return { name, value: given.value, message: `parameter '${name}' is a constant and cannot be set` };
  }
  return undefined;
}

function isSameValue(definition: ParameterDefinition, one: string, other: string): boolean {
  const [first, second] = [checkValue(definition, one), checkValue(definition, other)];
  return first.isValid && second.isValid && first.value === second.value;
}

/** Returns undefined for a parameter that is left out. */
function verifyOne(
  definition: ParameterDefinition,
  given: string | undefined,
  checkReference: CheckReference,
): ParameterValue | ParameterProblem | undefined {
  const { name, type, optional } = definition;
  const value = given ?? definition.default ?? (type === 'bool' ? 'false' : undefined);
  if (value === undefined)
    return optional === true ? undefined : { name, message: `parameter '${name}' is missing, and has no default` };
  const checked = checkValue(definition, value);
  if (!checked.isValid) return { name, value, message: `parameter '${name}' ${checked.problem}` };
  const missing = findReferenceProblem(type, checked.value, checkReference);
  if (missing !== undefined) return { name, value, message: `parameter '${name}': ${missing}` };
  return { name, value: checked.value };
}

const referenceKinds: Readonly<Record<string, readonly ReferenceKind[]>> = {
  artifact: ['artifact'],
  collection: ['collection', 'artifact', 'queue'],
  queue: ['queue'],
};

function findReferenceProblem(type: string, value: string, check: CheckReference): string | undefined {
  for (const kind of referenceKinds[type] ?? []) {
    const id = parseUrn(kind, value);
    if (id !== undefined) return check(kind, id);
  }
  return undefined;
}
