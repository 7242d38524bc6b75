import { hasLocation } from '../document/artifact-location.ts';
import { goJson } from '../document/go-json.ts';
import type { Arguments, Artifact, Parameter } from '../document/parameters.ts';
import type { Template } from '../document/template.ts';
import { WorkflowError } from '../errors.ts';
import { layerScopes, mapScope, type Scope, type ScopeValue } from './scope.ts';
import { substitute, substituteText } from './substitute.ts';

/** Stands for an argument whose only value is that of a node that was skipped: as if it were not given. */
export const absentArgument = '\uE0F1absent';

/** Reads a key of a ConfigMap in the workflow's namespace. */
export type ReadConfigMap = (name: string, key: string) => string | undefined;

export interface BindOptions {
  readonly arguments: Arguments;
  /** Values that are known everywhere, and those of this node alone. */
  readonly scope: Scope;
  readonly readConfigMap: ReadConfigMap;
}

/** The template with its inputs bound to the arguments and all known tags replaced. */
export function bindArguments(template: Template, options: BindOptions): Template {
  const bound: Template = { ...template };
  if (template.inputs !== undefined) {
    bound.inputs = { ...template.inputs };
    const { parameters, artifacts } = template.inputs;
    if (parameters !== undefined) bound.inputs.parameters = parameters.map(input => bindParameter(input, options));
    if (artifacts !== undefined)
      bound.inputs.artifacts = artifacts.map(input => bindArtifact(input, options.arguments));
  }
  return substituteTemplate(bound, options.scope);
}

function bindParameter(input: Parameter, options: BindOptions): Parameter {
  const value = input.value ?? input.default;
  const bound: Parameter = { ...input };
  if (value !== undefined) bound.value = value;
  const argument = options.arguments.parameters?.find(({ name }) => name === input.name);
  if (argument?.value === absentArgument) {
    if (value === undefined && input.valueFrom === undefined) throw absentInput(input.name);
  } else if (argument?.value !== undefined) {
    bound.value = argument.value;
    delete bound.valueFrom;
  } else if (argument !== undefined) {
    delete bound.value;
    if (argument.valueFrom !== undefined) bound.valueFrom = argument.valueFrom;
  }
  return readSource(bound, options);
}

function readSource(input: Parameter, { scope, readConfigMap }: BindOptions): Parameter {
  const reference = input.valueFrom?.configMapKeyRef;
  if (reference === undefined) {
    if (input.value !== undefined) return input;
    throw new WorkflowError('invalid-document', `inputs.parameters.${input.name} was not supplied`);
  }
  const name = substituteText(reference.name ?? '', scope, 'all');
  const key = substituteText(reference.key, scope, 'all');
  const value = readConfigMap(name, key) ?? input.valueFrom?.default;
  if (value !== undefined) return { ...input, value };
  throw new WorkflowError(
    'invalid-document',
    `unable to retrieve inputs.parameters.${input.name} from ConfigMap: ${noConfigMapText(name)}`,
  );
}

export const noConfigMapText = (name: string): string =>
  `ConfigMap '${name}' does not exist. Please make sure it has the label workflows.argoproj.io/configmap-type: Parameter to be detectable by the controller`;

const absentInput = (name: string): WorkflowError =>
  new WorkflowError(
    'absent-value',
    `inputs.parameters.${name}: argument references an absent optional (skipped/omitted node output with no default)`,
  );

function bindArtifact(input: Artifact, given: Arguments): Artifact {
  const argument = given.artifacts?.find(({ name }) => name === input.name);
  if (input.optional !== true && !hasLocation(input)) {
    if (argument === undefined) {
      throw new WorkflowError('invalid-document', `inputs.artifacts.${input.name} was not supplied`);
    }
    if (!hasLocation(argument)) {
      throw new WorkflowError('invalid-document', `inputs.artifacts.${input.name} missing location information`);
    }
  }
  if (argument === undefined) return input;
  const { path, mode, recurseMode } = input;
  return { ...argument, ...definedFields({ path, mode, recurseMode }) };
}

const definedFields = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Replaces tags in two passes: first global and local values, then the inputs, which may have contained the former. */
export function substituteTemplate(template: Template, scope: Scope): Template {
  const first = substitute(template, scope);
  return substitute(first, layerScopes(mapScope(ownValues(first)), scope));
}

/** What a template may say about itself. */
function ownValues({ inputs, outputs }: Template): Map<string, ScopeValue> {
  const values = new Map<string, ScopeValue>();
  for (const { name, value } of inputs?.parameters ?? []) {
    if (value !== undefined) values.set(`inputs.parameters.${name}`, value);
  }
  values.set('inputs.parameters', parametersJson(inputs?.parameters));
  for (const { name, path } of inputs?.artifacts ?? []) setPath(values, `inputs.artifacts.${name}.path`, path);
  for (const { name, path } of outputs?.artifacts ?? []) setPath(values, `outputs.artifacts.${name}.path`, path);
  for (const { name, valueFrom } of outputs?.parameters ?? []) {
    setPath(values, `outputs.parameters.${name}.path`, valueFrom?.path);
  }
  return values;
}

function setPath(values: Map<string, ScopeValue>, key: string, path: string | undefined): void {
  if (path !== undefined && path !== '') values.set(key, path);
}

/** A list of parameters as Go writes it: null when there is none. */
export const parametersJson = (parameters: readonly Parameter[] | undefined): string =>
  parameters === undefined ? 'null' : `[${parameters.map(parameterJson).join(',')}]`;

/** Fields in the order of Argo's type. */
const parameterFields = ['name', 'default', 'value', 'valueFrom', 'globalName', 'enum', 'description'] as const;

function parameterJson(parameter: Parameter): string {
  const present = parameterFields.filter(field => parameter[field] !== undefined);
  return `{${present.map(field => `"${field}":${goJson(parameter[field] as never)}`).join(',')}}`;
}
