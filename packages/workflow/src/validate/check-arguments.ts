import { hasLocation } from '../document/artifact-location.ts';
import type { Arguments, Artifact, Parameter } from '../document/parameters.ts';
import { checkNames, parameterNameProblem } from './check-names.ts';
import { refuse, within } from './problem.ts';

/** Refuses arguments without a name or a value. `prefix` is where they stand: `spec.arguments.`. */
export function checkArguments(
  prefix: string,
  { parameters = [], artifacts = [] }: Arguments,
  mayBeEmpty: boolean,
): void {
  within(`${prefix}parameters`, () => checkNames(parameters, parameterNameProblem));
  within(`${prefix}artifacts`, () => checkNames(artifacts, parameterNameProblem));
  for (const parameter of parameters) checkParameter(prefix + parameter.name, parameter, mayBeEmpty);
  for (const artifact of artifacts) checkArtifact(prefix + artifact.name, artifact);
}

function checkParameter(path: string, { value, valueFrom, enum: choices }: Parameter, mayBeEmpty: boolean): void {
  if (valueFrom === undefined && value === undefined && !mayBeEmpty)
    refuse(`${path}.value or ${path}.valueFrom is required`);
  if (valueFrom !== undefined) {
    const isAllowed =
      valueFrom.configMapKeyRef !== undefined || Boolean(valueFrom.event) || valueFrom.supplied !== undefined;
    const { path: file, jsonPath, parameter, expression } = valueFrom;
    const isForeign = [file, jsonPath, parameter, expression].some(Boolean);
    if (!isAllowed || isForeign) refuse(`${path}.valueFrom only allows: default, configMapKeyRef and supplied`);
  }
  if (choices !== undefined) checkEnum(path, choices, value, mayBeEmpty);
}

function checkEnum(path: string, choices: readonly string[], value: string | undefined, mayBeEmpty: boolean): void {
  if (choices.length === 0) refuse(`${path}.enum should contain at least one value`);
  if (value === undefined) {
    if (!mayBeEmpty) refuse(`${path}.value is required`);
  } else if (!choices.includes(value)) refuse(`${path}.value should be present in ${path}.enum list`);
}

function checkArtifact(path: string, artifact: Artifact): void {
  if (!artifact.from && !hasLocation(artifact)) refuse(`${path}.from, artifact location, or key is required`);
  if (artifact.from && artifact.fromExpression) {
    refuse(`${path} shouldn't have both \`from\` and \`fromExpression\` in Artifact`);
  }
}
