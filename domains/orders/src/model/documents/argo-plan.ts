import type { Parameter, WorkflowSpec } from '@chandlery/workflow';
import { invalidField } from '../../errors.ts';
import { isJsonObject, type Json } from '../bodies/body-fields.ts';
import { workflowArguments } from '../parameters/command-line.ts';
import type { ParameterValue } from '../parameters/verify-parameters.ts';
import { findForbidden, stripSpec } from './forbidden-fields.ts';
import type { PlanInput, WorkflowPlan } from './plan.ts';
import { wireInputs } from './wire-inputs.ts';

/** Returns the document of a service whose controller has the fields of a Workflow's spec. Throws `invalid`. */
export function planArgoSpec(input: PlanInput): WorkflowPlan {
  const { $schema: _, ...spec } = input.controller;
  return planSpec(input, { spec, path: 'controller' });
}

/** Returns the document of a service whose controller has a whole Workflow. Throws `invalid`. */
export function planArgoDocument(input: PlanInput): WorkflowPlan {
  const { workflow } = input.controller;
  if (!isJsonObject(workflow))
    throw invalidField('controller.workflow', 'controller.workflow must be a Workflow', workflow);
  const { kind = 'Workflow', metadata, spec } = workflow;
  if (kind !== 'Workflow')
    throw invalidField('controller.workflow.kind', 'controller.workflow.kind must be Workflow', kind);
  if (!isJsonObject(spec))
    throw invalidField('controller.workflow.spec', 'controller.workflow.spec must be an object', spec);
  const { labels, annotations } = isJsonObject(metadata) ? metadata : ({} as Json);
  return {
    ...planSpec(input, { spec, path: 'controller.workflow.spec' }),
    labels: texts(labels),
    annotations: texts(annotations),
  };
}

function planSpec(
  { definitions, values }: PlanInput,
  { spec: given, path }: { readonly spec: Json; readonly path: string },
): WorkflowPlan {
  checkShape(given, path);
  const found = findForbidden(given, path);
  if (found !== undefined) throw invalidField(found.path, `${found.path} is not possible: ${found.reason}`);
  const { spec: kept, stripped } = stripSpec(given, path);
  const names = new Set(definitions.map(({ name }) => name));
  const { spec, wired } = wireInputs(kept as WorkflowSpec, names);
  return {
    spec: {
      ...spec,
      arguments: { ...spec.arguments, parameters: mergeArguments(spec.arguments?.parameters ?? [], values) },
    },
    warnings: [
      ...stripped.map(field => `${field} is set by the platform, and was dropped`),
      ...wired.map(argument => `An argument was added to ${argument}`),
    ],
  };
}

/** Orders win over arguments that the author wrote. */
function mergeArguments(authored: readonly Parameter[], values: readonly ParameterValue[]): Parameter[] {
  const given = workflowArguments(values).map(({ name, value }) => ({ name, value }));
  const names = new Set(given.map(({ name }) => name));
  return [...authored.filter(({ name }) => !names.has(name)), ...given];
}

/** What the rest of the plan relies on; everything else is the validator's matter. */
function checkShape(spec: Json, path: string): void {
  const { templates = [], arguments: given = {}, volumes = [] } = spec;
  if (!Array.isArray(templates) || !templates.every(isJsonObject))
    throw invalidField(`${path}.templates`, `${path}.templates must be a list of templates`);
  if (!Array.isArray(volumes) || !volumes.every(isJsonObject))
    throw invalidField(`${path}.volumes`, `${path}.volumes must be a list of volumes`);
  const parameters = isJsonObject(given) ? (given['parameters'] ?? []) : undefined;
  if (!Array.isArray(parameters) || !parameters.every(isJsonObject))
    throw invalidField(`${path}.arguments`, `${path}.arguments must have a list of parameters`);
}

const texts = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(isJsonObject(value) ? value : {}).map(([name, text]) => [name, String(text)]));
