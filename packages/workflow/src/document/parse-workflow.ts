import type { JsonValue } from '@chandlery/api';
import { messageOf, WorkflowError } from '../errors.ts';
import { goJson } from './go-json.ts';
import type { WorkflowDocument } from './workflow.ts';
import { parseYaml } from './yaml.ts';

type Fields = Record<string, unknown>;

/**
 * Reads a Workflow or a template of one, as YAML, JSON or an object, and normalises it: values of parameters become
 * text, as Argo has them. Throws `invalid-document`. The object given is not changed.
 */
export function parseWorkflow(source: string | object): WorkflowDocument {
  const value = typeof source === 'string' ? parseText(source) : structuredClone(source);
  if (!isFields(value)) throw new WorkflowError('invalid-document', 'a workflow must be an object');
  const { apiVersion = 'argoproj.io/v1alpha1', kind = 'Workflow', metadata = {}, spec = {} } = value;
  if (!isFields(metadata) || !isFields(spec)) {
    throw new WorkflowError('invalid-document', 'metadata and spec of a workflow must be objects');
  }
  dropNulls(spec);
  normaliseParameters(spec);
  return { ...value, apiVersion, kind, metadata, spec } as WorkflowDocument;
}

function parseText(text: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    throw new WorkflowError('invalid-document', `cannot parse the workflow: ${messageOf(error)}`, { cause: error });
  }
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Fields that are null are as if absent, except where a null is a value: in items. */
function dropNulls(value: unknown): void {
  if (Array.isArray(value)) value.forEach(dropNulls);
  if (!isFields(value)) return;
  for (const [key, field] of Object.entries(value)) {
    if (key === 'withItems') continue;
    if (field === null) delete value[key];
    else dropNulls(field);
  }
}

/** Converts the values of all parameters below an object, wherever a list `parameters` stands. */
function normaliseParameters(value: unknown): void {
  if (Array.isArray(value)) value.forEach(normaliseParameters);
  if (!isFields(value)) return;
  for (const [key, field] of Object.entries(value)) {
    if (key === 'parameters' && Array.isArray(field)) field.filter(isFields).forEach(normaliseParameter);
    else if (key !== 'withItems') normaliseParameters(field);
  }
}

function normaliseParameter(parameter: Fields): void {
  textField(parameter, 'value');
  textField(parameter, 'default');
  if (isFields(parameter['valueFrom'])) textField(parameter['valueFrom'], 'default');
  if (Array.isArray(parameter['enum'])) parameter['enum'] = parameter['enum'].map(anyText);
}

function textField(fields: Fields, key: string): void {
  if (fields[key] !== undefined) fields[key] = anyText(fields[key]);
}

/** The text of a value of any type: strings as they are, the rest as JSON. */
export const anyText = (value: unknown): string => (typeof value === 'string' ? value : goJson(value as JsonValue));
