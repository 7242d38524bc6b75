import type { Artifact, Outputs, Parameter } from '../document/parameters.ts';
import { anyText } from '../document/parse-workflow.ts';
import type { Template } from '../document/template.ts';
import { WorkflowError } from '../errors.ts';
import { evaluateInScope } from '../template/expression-tag.ts';
import { plainText } from '../template/inert.ts';
import type { Scope } from '../template/scope.ts';
import { isReference, resolveArtifact } from './resolve-call.ts';

/** The outputs of steps or a dag, taken from its children. Throws when one cannot be resolved and has no default. */
export function templateOutputs(template: Template, scope: Scope): Outputs | undefined {
  const { parameters = [], artifacts = [] } = template.outputs ?? {};
  if (parameters.length === 0 && artifacts.length === 0) return undefined;
  const outputs: Outputs = {};
  if (parameters.length > 0) outputs.parameters = parameters.map(parameter => outputParameter(parameter, scope));
  if (artifacts.length > 0) outputs.artifacts = artifacts.flatMap(artifact => outputArtifact(artifact, scope));
  return outputs;
}

function outputParameter({ valueFrom, ...parameter }: Parameter, scope: Scope): Parameter {
  if (valueFrom === undefined) {
    throw new WorkflowError('invalid-document', 'output parameters must have a valueFrom specified');
  }
  let value: string | null | undefined;
  try {
    value =
      valueFrom.expression === undefined
        ? referred(valueFrom.parameter ?? '', scope)
        : evaluated(valueFrom.expression, scope);
  } catch (error) {
    if (valueFrom.default === undefined) throw error;
  }
  value ??= valueFrom.default;
  if (value !== undefined) return { ...parameter, value: plainText(value) };
  throw new WorkflowError(
    'absent-value',
    `output parameter "${parameter.name}": "${valueFrom.parameter ?? ''}" is an absent optional (skipped/omitted node output with no default)`,
  );
}

function evaluated(expression: string, scope: Scope): string {
  const value = evaluateInScope(expression, scope);
  if (value !== undefined && value !== null) return anyText(value);
  throw new WorkflowError('expression-failed', `failed to evaluate expression "${expression}"`);
}

function referred(reference: string, scope: Scope): string | null {
  if (reference === '') return '';
  const tag = reference.replace(/^\{\{/, '').replace(/\}\}$/, '').trim();
  if (tag.startsWith('=')) return evaluated(tag.slice(1), scope);
  const value = scope.get(tag);
  if (value === undefined) throw new WorkflowError('unresolved-tag', `Unable to resolve: "${tag}"`);
  return value === null || typeof value === 'string' ? value : JSON.stringify(value);
}

function outputArtifact(artifact: Artifact, scope: Scope): Artifact[] {
  if (!isReference(artifact)) return [];
  try {
    const found = resolveArtifact(artifact, scope);
    const exported = artifact.globalName === undefined ? {} : { globalName: artifact.globalName };
    return found === undefined ? [] : [{ ...found, ...exported, name: artifact.name }];
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new WorkflowError('unresolved-tag', `unable to resolve outputs from scope: ${cause}`, { cause: error });
  }
}
