import type { Dag, DagTask } from '../document/template.ts';
import { type Depends, dependsTasks, parseDepends } from '../expressions/index.ts';

/** A task with what it depends on. */
export interface PlannedTask {
  readonly task: DagTask;
  readonly dependencies: readonly string[];
  readonly depends: Depends | undefined;
}

export interface DagPlan {
  /** In the order in which they are considered: each after those that it depends on. */
  readonly tasks: ReadonlyMap<string, PlannedTask>;
  readonly targets: readonly string[];
}

/** The tasks that are needed for the targets of a dag. */
export function planDag(dag: Dag): DagPlan {
  const all = new Map(dag.tasks.map(task => [task.name, planTask(task, dag.tasks)]));
  const targets = targetsOf(dag, all);
  const tasks = new Map<string, PlannedTask>();
  const visiting = new Set<string>();
  const stack = targets.toReversed();
  for (let name = stack.at(-1); name !== undefined; name = stack.at(-1)) {
    const planned = all.get(name);
    const missing = planned?.dependencies.filter(dependency => !tasks.has(dependency) && all.has(dependency)) ?? [];
    if (planned === undefined || tasks.has(name) || missing.length === 0 || visiting.has(name)) {
      if (planned !== undefined) tasks.set(name, planned);
      stack.pop();
    } else {
      visiting.add(name);
      stack.push(...missing.toReversed());
    }
  }
  return { tasks, targets };
}

function targetsOf({ target = '', tasks }: Dag, all: ReadonlyMap<string, PlannedTask>): string[] {
  if (target !== '') return target.split(' ').filter(name => all.has(name));
  const depended = new Set([...all.values()].flatMap(({ dependencies }) => dependencies));
  return tasks
    .map(({ name }) => name)
    .filter(name => !depended.has(name))
    .sort();
}

function planTask(task: DagTask, tasks: readonly DagTask[]): PlannedTask {
  const text = task.depends ?? (task.dependencies ?? []).join(' && ');
  if (text === '') return { task, dependencies: [], depends: undefined };
  const depends = parseDepends(text, { continueOn: name => tasks.find(other => other.name === name)?.continueOn });
  return { task, dependencies: dependsTasks(depends), depends };
}
