import type { Artifact, Parameter } from '../document/parameters.ts';
import type { Template, TemplateKind } from '../document/template.ts';
import { hasTag } from './add-outputs.ts';
import { checkPath } from './artifacts.ts';
import { checkNames, parameterNameProblem } from './check-names.ts';
import { checkTags, type TagOptions } from './check-tags.ts';
import { refuse, within } from './problem.ts';
import { isLeaf, kindNames } from './template-kind.ts';

/** Refuses outputs that no template of this kind can have. */
export function checkOutputs(template: Template, kind: TemplateKind, options: TagOptions): void {
  const path = `templates.${template.name ?? ''}`;
  const { parameters = [], artifacts = [] } = template.outputs ?? {};
  within(`${path}.outputs.parameters `, () => checkNames(parameters, parameterNameProblem));
  within(`${path}.outputs.artifacts `, () => checkNames(artifacts, parameterNameProblem));
  within(`${path}.outputs `, () => checkTags(template.outputs, options));
  for (const artifact of artifacts) checkArtifact(`${path}.outputs.artifacts.${artifact.name}`, artifact, kind);
  for (const parameter of parameters) checkParameter(`${path}.outputs.parameters.${parameter.name}`, parameter, kind);
}

function checkArtifact(path: string, artifact: Artifact, kind: TemplateKind): void {
  if (isLeaf(kind)) checkPath(path, artifact);
  else if (artifact.path) refuse(`${path}.path only valid in container/script templates`);
  checkGlobalName(path, artifact.globalName);
}

function checkParameter(path: string, parameter: Parameter, kind: TemplateKind): void {
  checkSource(path, parameter);
  const { valueFrom } = parameter;
  const name = kindNames[kind];
  if (valueFrom !== undefined && ['container', 'containerSet', 'script'].includes(kind) && !valueFrom.path) {
    refuse(`${path}.path must be specified for ${name} templates`);
  }
  if (valueFrom !== undefined && ['dag', 'steps'].includes(kind) && !valueFrom.parameter && !valueFrom.expression) {
    refuse(`${path}.parameter or expression must be specified for ${name} templates`);
  }
  checkGlobalName(path, parameter.globalName);
}

const kindsOfSource = 'choose one of: path, jqFilter, jsonPath, parameter, raw';

/** Refuses a parameter with no source or several. */
function checkSource(path: string, { value, valueFrom }: Parameter): void {
  if (valueFrom !== undefined && value !== undefined)
    refuse(`${path} has both valueFrom and value specified, choose one`);
  if (value !== undefined) return;
  if (valueFrom === undefined) return refuse(`${path} does not have valueFrom or value specified`);
  const { path: file, jqFilter, jsonPath, parameter, expression, supplied } = valueFrom;
  const count = [file, jqFilter, jsonPath, parameter, expression, supplied !== undefined].filter(Boolean).length;
  if (count === 0) refuse(`valueFrom type unspecified. ${kindsOfSource}, expression`);
  if (count > 1) refuse(`multiple valueFrom types specified. ${kindsOfSource}`);
}

function checkGlobalName(path: string, globalName: string | undefined): void {
  if (!globalName || hasTag(globalName)) return;
  const problem = parameterNameProblem(globalName);
  if (problem !== '') refuse(`${path}.globalName: ${problem}`);
}
