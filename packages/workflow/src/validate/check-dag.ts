import type { Arguments } from '../document/parameters.ts';
import type { Dag, DagTask, Template } from '../document/template.ts';
import { parseDepends, taskResultNames } from '../expressions/index.ts';
import { hasTag } from './add-outputs.ts';
import { anyArguments, providerOf } from './bind-inputs.ts';
import { checkArguments } from './check-arguments.ts';
import { hasExitHook } from './check-hooks.ts';
import { addItems, isAggregate, isLoop } from './check-loop.ts';
import { checkNames, fieldNameProblem } from './check-names.ts';
import { ancestorsOf, dependenciesOf, sortTasks } from './dag-graph.ts';
import { refuse, within } from './problem.ts';
import { addOutputsOf, checkTagsIn, scopeOfCall, type TemplateBase, type Validation } from './validation.ts';

/** What the checks of one DAG share. */
interface DagContext {
  readonly path: string;
  readonly base: TemplateBase;
  readonly scope: Set<string>;
  readonly validation: Validation;
  readonly tasks: ReadonlyMap<string, DagTask>;
  readonly usesDepends: boolean;
  /** What tasks call, by name of the task. */
  readonly called: Map<string, Template | undefined>;
}

/** Refuses a DAG in the order of Argo: its form, what it calls, then its references. */
export function checkDag(
  template: Template,
  dag: Dag,
  base: TemplateBase,
  scope: Set<string>,
  validation: Validation,
): void {
  const path = `templates.${template.name ?? ''}`;
  const given = dag.tasks ?? [];
  if (given.length === 0) refuse(`${path} must have at least one task`);
  const sorted = within(`${path} sorting failed: `, () => sortTasks(given));
  within(`${path}.tasks`, () => checkNames(sorted, fieldNameProblem));
  const context: DagContext = {
    path,
    base,
    scope,
    validation,
    tasks: new Map(sorted.map(task => [task.name, task])),
    usesDepends: given.some(({ depends = '' }) => depends !== ''),
    called: new Map(),
  };
  for (const task of sorted) checkForm(task, context);
  checkTarget(dag.target ?? '', context);
  const dependencies = new Map(sorted.map(task => [task.name, dependenciesOf(task)]));
  for (const task of sorted) checkReferences(task, ancestorsOf(task.name, dependencies), context);
}

function checkForm(task: DagTask, context: DagContext): void {
  const { path, base, scope, validation, usesDepends } = context;
  const taskPath = `${path}.tasks.${task.name}`;
  const hasDependencies = (task.dependencies ?? []).length > 0;
  if ((usesDepends || hasDependencies) && /^\d/.test(task.name)) {
    refuse(`${taskPath} name cannot begin with a digit when using either 'depends' or 'dependencies'`);
  }
  if (usesDepends && hasDependencies)
    refuse(`${path} cannot use both 'depends' and 'dependencies' in the same DAG template`);
  if (usesDepends && task.continueOn !== undefined) {
    refuse(`${path} cannot use 'continueOn' when using 'depends'. Instead use 'dep-task.Failed'/'dep-task.Errored'`);
  }
  const template = within(`${taskPath} `, () => validation.checkCall(task, base, anyArguments(validation.placeholder)));
  context.called.set(task.name, template);
  addOutputsOf({ root: 'tasks', name: task.name, template, isAggregate: isAggregate(task) }, scope, validation);
  checkDepends(task, taskPath, context);
}

function checkDepends({ depends = '' }: DagTask, path: string, { path: dagPath, tasks }: DagContext): void {
  const { results, loops } = parseDepends(depends);
  for (const { task, result } of results) {
    const isKnown = (taskResultNames as readonly string[]).includes(result);
    if (!isKnown) refuse(`${path} task result '${result}' for task '${task}' is invalid`);
  }
  for (const name of loops) {
    const task = tasks.get(name);
    if (task === undefined || isLoop(task)) continue;
    refuse(
      `${dagPath}.tasks.${name} dependency '${name}' uses an items-based condition such as .AnySucceeded or .AllFailed but does not contain any items`,
    );
  }
}

function checkTarget(target: string, { path, scope, validation, tasks }: DagContext): void {
  within(`${path}.targets `, () => checkTagsIn(target, scope, validation));
  for (const name of target === '' ? [] : target.split(' ')) {
    if (!hasTag(name) && !tasks.has(name)) refuse(`${path}.targets: target '${name}' is not defined`);
  }
}

function checkReferences(task: DagTask, ancestors: ReadonlySet<string>, context: DagContext): void {
  const { path, base, scope, validation, tasks, called } = context;
  const taskPath = `${path}.tasks.${task.name}`;
  if (task.hooks !== undefined || hasExitHook(task)) scope.add(`tasks.${task.name}.status`);
  addOutputsOf({ root: 'tasks', name: task.name, template: called.get(task.name) }, scope, validation);
  const taskScope = scopeOfCall(task, scope);
  for (const name of ancestors) {
    const ancestor = tasks.get(name);
    const options = { root: 'tasks', name, template: called.get(name), isAncestor: true } as const;
    addOutputsOf({ ...options, isAggregate: ancestor !== undefined && isAggregate(ancestor) }, taskScope, validation);
  }
  within(`${taskPath} `, () => addItems(task, taskScope));
  within(`${taskPath} `, () => checkTagsIn(task, taskScope, validation));
  checkArguments(`${taskPath}.arguments.`, task.arguments ?? {}, false);
  within(`${taskPath} `, () => checkAncestry(task.arguments ?? {}, ancestors));
  within(`${taskPath} `, () => validation.checkCall(task, base, providerOf(task.arguments ?? {})));
}

/** An argument may be the output of an ancestor only. */
function checkAncestry({ parameters = [], artifacts = [] }: Arguments, ancestors: ReadonlySet<string>): void {
  const check = (kind: string, name: string, reference: string): void => {
    const task = reference.startsWith('{{tasks.') ? (reference.split('.')[1] ?? '') : undefined;
    if (task !== undefined && !ancestors.has(task)) refuse(`missing dependency '${task}' for ${kind} '${name}'`);
  };
  for (const { name, value = '' } of parameters) check('parameter', name, value);
  for (const { name, from = '' } of artifacts) check('artifact', name, from);
}
