import type { Template, TemplateKind } from '../document/template.ts';
import { checkLocation, checkPath } from './artifacts.ts';
import { checkNames, parameterNameProblem } from './check-names.ts';
import { refuse, within } from './problem.ts';
import { isLeaf } from './template-kind.ts';

/** Refuses malformed inputs, and returns what they offer to the template. */
export function checkInputs(template: Template, kind: TemplateKind): Set<string> {
  const path = `templates.${template.name ?? ''}`;
  const { parameters = [], artifacts = [] } = template.inputs ?? {};
  within(`${path}.inputs.parameters`, () => checkNames(parameters, parameterNameProblem));
  within(`${path}.inputs.artifacts`, () => checkNames(artifacts, parameterNameProblem));
  const scope = new Set(parameters.map(({ name }) => `inputs.parameters.${name}`));
  if (parameters.length > 0) scope.add('inputs.parameters');
  for (const artifact of artifacts) {
    const reference = `inputs.artifacts.${artifact.name}`;
    scope.add(reference);
    if (isLeaf(kind)) {
      checkPath(`${path}.${reference}`, artifact);
      scope.add(`${reference}.path`);
    } else if (artifact.path) refuse(`${path}.${reference}.path only valid in container/script templates`);
    if (artifact.from) refuse(`${path}.${reference}.from not valid in inputs`);
    checkLocation(`${path}.${reference}`, artifact);
  }
  return scope;
}
