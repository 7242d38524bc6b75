import type { DagTask } from '../document/template.ts';
import { dependsTasks, parseDepends } from '../expressions/index.ts';
import { refuse } from './problem.ts';

/** The names that a task waits for. */
export const dependenciesOf = ({ depends = '', dependencies = [] }: DagTask): readonly string[] =>
  depends === '' ? [...new Set(dependencies)] : dependsTasks(parseDepends(depends));

/** Tasks in an order in which each comes after those that it waits for. */
export function sortTasks(tasks: readonly DagTask[]): DagTask[] {
  const byName = new Map<string, DagTask>();
  for (const task of tasks) {
    if (byName.has(task.name)) refuse(`duplicated nodeName ${task.name}`);
    byName.set(task.name, task);
  }
  const waiting = new Map(tasks.map(task => [task.name, dependenciesOf(task).length]));
  const dependants = new Map<string, DagTask[]>();
  for (const task of tasks) {
    for (const name of dependenciesOf(task)) {
      if (!byName.has(name)) refuse(`invalid dependency ${name}`);
      dependants.set(name, [...(dependants.get(name) ?? []), task]);
    }
  }
  const sorted = tasks.filter(({ name }) => waiting.get(name) === 0);
  for (const { name } of sorted) {
    for (const next of dependants.get(name) ?? []) {
      const left = (waiting.get(next.name) ?? 0) - 1;
      waiting.set(next.name, left);
      if (left === 0) sorted.push(next);
    }
  }
  return sorted.length === tasks.length ? sorted : refuse('graph with cycle');
}

/** All tasks that must end before a task, directly or not. */
export function ancestorsOf(name: string, dependencies: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set<string>();
  const pending = [...(dependencies.get(name) ?? [])];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    pending.push(...(dependencies.get(next) ?? []));
  }
  found.delete(name);
  return found;
}

/** The names of a cycle, the first one again at its end; undefined when there is none. */
export function firstCycle(dependencies: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const search = (name: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(name)) return [...path, name];
    if (done.has(name)) return undefined;
    for (const next of dependencies.get(name) ?? []) {
      const cycle = search(next, [...path, name]);
      if (cycle !== undefined) return cycle;
    }
    done.add(name);
    return undefined;
  };
  return dependencies
    .keys()
    .map(name => search(name, []))
    .find(cycle => cycle !== undefined);
}
