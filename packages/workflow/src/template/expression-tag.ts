import type { JsonValue } from '@chandlery/api';
import { messageOf, WorkflowError } from '../errors.ts';
import {
  compileExpression,
  type EvaluateOptions,
  type Expression,
  evaluateExpression,
  insertedText,
  referencedPaths,
} from '../expressions/index.ts';
import { type Environment, environmentFor, hasPath, mentionsInert } from './environment.ts';
import { makeInert } from './inert.ts';
import { requiredPaths } from './required-paths.ts';
import type { Scope } from './scope.ts';
import { isStrict, type Strictness } from './strictness.ts';

/** Names that are bound by a later pass: an expression that mentions one waits for it. */
const lateBound: ReadonlySet<string> = new Set([
  'item',
  'retries',
  'lastRetry.exitCode',
  'lastRetry.status',
  'lastRetry.duration',
  'lastRetry.message',
  'workflow.status',
  'workflow.failures',
]);

/** The text that stands for `{{=source}}`; the tag itself when its names are not all known yet. */
export function evaluateTag(source: string, scope: Scope, strictness: Strictness): string {
  const tag = `{{=${source}}}`;
  const expression = compile(source, strictness);
  if (expression === undefined) return tag;
  const paths = referencedPaths(expression);
  const environment = environmentFor(paths, scope);
  const missing = requiredPaths(expression)
    .filter(path => !hasPath(environment, path))
    .map(path => path.join('.'));
  const required = missing.find(name => isStrict(name, strictness));
  if (required !== undefined) throw failed(`failed to evaluate expression: ${required} is missing`);
  const mayStay = missing.length > 0 || (typeof strictness === 'string' && strictness !== 'all');
  if (mayStay && missing.some(name => lateBound.has(name))) return tag;
  const value = tryEvaluate(expression, environment, scope, mayStay);
  if (value !== undefined && value !== null) {
    const text = insertedText(value);
    return mentionsInert(paths, scope) ? makeInert(text) : text;
  }
  if (mayStay) return tag;
  throw failed(`failed to evaluate expression "${source}"`);
}

function compile(source: string, strictness: Strictness): Expression | undefined {
  try {
    return compileExpression(source);
  } catch (error) {
    if (strictness === 'unchecked') return undefined;
    throw failed(`failed to evaluate expression: ${messageOf(error)}`);
  }
}

function tryEvaluate(
  expression: Expression,
  environment: Environment,
  scope: Scope,
  mayStay: boolean,
): JsonValue | undefined {
  try {
    return evaluateExpression(expression, environment, optionsOf(scope));
  } catch (error) {
    if (mayStay) return undefined;
    const isEvaluated = error instanceof WorkflowError && error.code === 'expression-not-json';
    throw failed(`failed to ${isEvaluated ? 'marshal evaluated' : 'evaluate'} expression: ${messageOf(error)}`);
  }
}

const optionsOf = ({ time }: Scope): EvaluateOptions => {
  const now = time?.();
  return now === undefined ? {} : { now };
};

const failed = (message: string): WorkflowError => new WorkflowError('expression-failed', message);

/** The value of an expression in a scope. Throws when it cannot be evaluated. */
export function evaluateInScope(source: string, scope: Scope): JsonValue | undefined {
  const expression = compileExpression(source);
  return evaluateExpression(expression, environmentFor(referencedPaths(expression), scope), optionsOf(scope));
}

/** The boolean that an expression gives in a scope. */
export function evaluateCondition(source: string, scope: Scope): boolean {
  const value = evaluateInScope(source, scope);
  if (typeof value === 'boolean') return value;
  throw failed(`unable to cast expression result '${value === undefined ? '<nil>' : insertedText(value)}' to bool`);
}
