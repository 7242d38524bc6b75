import type { Template, WorkflowStep } from '../document/template.ts';
import { anyArguments, providerOf } from './bind-inputs.ts';
import { checkArguments } from './check-arguments.ts';
import { checkHooks, hasExitHook } from './check-hooks.ts';
import { addItems, isAggregate } from './check-loop.ts';
import { fieldNameProblem } from './check-names.ts';
import { withoutPlaceholders } from './placeholders.ts';
import { refuse, within } from './problem.ts';
import { addOutputsOf, checkTagsIn, scopeOfCall, type TemplateBase, type Validation } from './validation.ts';

/** Refuses steps in the order of Argo. The scope grows step by step. */
export function checkSteps(template: Template, base: TemplateBase, scope: Set<string>, validation: Validation): void {
  const path = `templates.${template.name ?? ''}`;
  const names = new Set<string>();
  for (const [group, steps] of (template.steps ?? []).entries()) {
    for (const step of steps) {
      checkStepName(step.name ?? '', `${path}.steps[${group}]`, names);
      checkStep(step, { path, group, base, scope, validation });
    }
  }
}

function checkStepName(name: string, path: string, names: Set<string>): void {
  if (name === '') refuse(`${path}.name is required`);
  if (names.has(name)) refuse(`${path}.name '${name}' is not unique`);
  const problem = fieldNameProblem(withoutPlaceholders(name));
  if (problem !== '') refuse(`${path}.name '${name}' is invalid: ${problem}`);
  names.add(name);
}

interface StepContext {
  readonly path: string;
  readonly group: number;
  readonly base: TemplateBase;
  readonly scope: Set<string>;
  readonly validation: Validation;
}

function checkStep(step: WorkflowStep, { path, group, base, scope, validation }: StepContext): void {
  const stepPath = `${path}.steps[${group}].${step.name}`;
  scope.add(`steps.${step.name}.status`);
  within(`${stepPath} `, () => addItems(step, scope));
  checkArguments(`${stepPath}.arguments.`, step.arguments ?? {}, false);
  const called = within(`${stepPath} `, () => validation.checkCall(step, base, anyArguments(validation.placeholder)));
  const outputs = { root: 'steps', name: step.name, template: called } as const;
  if (hasExitHook(step)) addOutputsOf(outputs, scope, validation);
  checkHooks(step.hooks, stepPath);
  within(`${path}.steps `, () => checkTagsIn(step, scopeOfCall(step, scope), validation));
  addOutputsOf({ ...outputs, isAggregate: isAggregate(step) }, scope, validation);
  within(`${stepPath} `, () => validation.checkCall(step, base, providerOf(step.arguments ?? {})));
}
