import { WorkflowError } from '../../errors.ts';
import { compileExpression, evaluateExpression } from '../expression.ts';

/** How a task ended, as conditions on dependencies see it. */
export interface TaskResults {
  readonly Succeeded: boolean;
  readonly Failed: boolean;
  readonly Errored: boolean;
  readonly Skipped: boolean;
  readonly Omitted: boolean;
  readonly Daemoned: boolean;
  readonly AnySucceeded: boolean;
  readonly AllFailed: boolean;
}

export const taskResultNames: readonly (keyof TaskResults)[] = [
  'Succeeded',
  'Failed',
  'Errored',
  'Skipped',
  'Omitted',
  'Daemoned',
  'AnySucceeded',
  'AllFailed',
];

/** A condition on other tasks, with bare names expanded. A malformed one shows only when it is evaluated, as in Argo. */
export interface Depends {
  /** The expanded text. */
  readonly text: string;
  readonly tasks: readonly string[];
  /** Tasks whose `AnySucceeded` or `AllFailed` are used: they must have a loop. */
  readonly loops: readonly string[];
  /** Results that are used, by task. */
  readonly results: readonly { readonly task: string; readonly result: string }[];
}

export interface DependsOptions {
  /** Whether a task's failure or error counts as success for those that name it bare. Default: never. */
  readonly continueOn?: (task: string) => { readonly failed?: boolean; readonly error?: boolean } | undefined;
}

const reference = /([a-zA-Z0-9][-a-zA-Z0-9]*?)\.([A-Z][a-zA-Z]+)|([a-zA-Z0-9][-a-zA-Z0-9]*)/g;

/** Reads the text of `depends`. A list of `dependencies` is their names joined by `&&`. */
export function parseDepends(text: string, { continueOn = () => undefined }: DependsOptions = {}): Depends {
  const tasks = new Set<string>();
  const loops = new Set<string>();
  const results: { task: string; result: string }[] = [];
  const expanded = text.replaceAll(reference, (match: string, task?: string, result?: string, bare?: string) => {
    tasks.add(task ?? bare ?? '');
    if (bare !== undefined) return expandBareName(bare, continueOn(bare) ?? {});
    if (task !== undefined && result !== undefined) results.push({ task, result });
    if (task !== undefined && (result === 'AnySucceeded' || result === 'AllFailed')) loops.add(task);
    return match;
  });
  return { text: expanded, tasks: [...tasks], loops: [...loops], results };
}

function expandBareName(
  task: string,
  { failed = false, error = false }: { failed?: boolean; error?: boolean },
): string {
  const results = ['Succeeded', 'Skipped', 'Daemoned', ...(error ? ['Errored'] : []), ...(failed ? ['Failed'] : [])];
  return `(${results.map(result => `${task}.${result}`).join(' || ')})`;
}

/** The names of tasks in a condition. */
export const dependsTasks = ({ tasks }: Depends): readonly string[] => tasks;

/** Whether the condition holds. Throws when it is malformed, or names a result that does not exist. */
export function evaluateDepends({ text, tasks }: Depends, resultsOf: (task: string) => TaskResults): boolean {
  const source = text.replaceAll('-', '_');
  const env = Object.fromEntries(tasks.map(task => [task.replaceAll('-', '_'), resultsOf(task)]));
  try {
    const value = evaluateExpression(compileExpression(source), env);
    if (typeof value === 'boolean') return value;
    throw new WorkflowError('expression-failed', `unable to cast expression result '${JSON.stringify(value)}' to bool`);
  } catch (error) {
    if (!(error instanceof WorkflowError)) throw error;
    throw new WorkflowError(error.code, `unable to evaluate expression '${source}': ${error.message}`, {
      cause: error,
    });
  }
}
