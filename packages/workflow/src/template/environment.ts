import type { JsonValue } from '@chandlery/api';
import { isInert, plainText } from './inert.ts';
import type { Scope, ScopeValue } from './scope.ts';

/** The nested objects that an expression sees. They have no prototype, so that only what is in scope can be read. */
export type Environment = { [name: string]: JsonValue | undefined };

/**
 * The part of a scope that an expression refers to, as nested objects. Only what lies under the paths is read, so that an
 * expression costs no more than what it mentions.
 */
export function environmentFor(paths: Iterable<readonly string[]>, scope: Scope): Environment {
  const environment = Object.create(null) as Environment;
  for (const path of paths) {
    const prefix = enclosingPrefix(path, scope);
    for (const key of scope.keysUnder(prefix)) setAt(environment, key, jsonOf(scope.get(key)));
  }
  return environment;
}

/** Whether an expression reads a value of a user that contains braces, so that its result must not act as a tag either. */
export const mentionsInert = (paths: Iterable<readonly string[]>, scope: Scope): boolean =>
  [...paths].some(path =>
    [...scope.keysUnder(enclosingPrefix(path, scope))].some(key => {
      const value = scope.get(key);
      return typeof value === 'string' && isInert(value);
    }),
  );

/** How deep outputs of one node stand: `tasks.a`. Everything below is cheap to read whole. */
const nodeDepth = 2;

function enclosingPrefix(path: readonly string[], scope: Scope): string {
  const [root = '', ...rest] = path;
  const isNodeReference = (root === 'tasks' || root === 'steps') && rest.length > 0;
  const nested = path.slice(0, nodeDepth).join('.');
  return isNodeReference && !isEmpty(scope.keysUnder(nested)) ? nested : root;
}

const isEmpty = (keys: Iterable<string>): boolean => keys[Symbol.iterator]().next().done === true;

const jsonOf = (value: ScopeValue | undefined): JsonValue | undefined =>
  typeof value === 'string' ? plainText(value) : (value as JsonValue | undefined);

/** Where a key is a value and the start of longer keys too, the longer keys win. */
function setAt(environment: Environment, key: string, value: JsonValue | undefined): void {
  const parts = key.split('.');
  const last = parts.pop() ?? '';
  let at = environment;
  for (const part of parts) {
    const next = at[part];
    if (isEnvironment(next)) at = next;
    else at = at[part] = Object.create(null) as Environment;
  }
  if (!isEnvironment(at[last])) at[last] = value;
}

const isEnvironment = (value: JsonValue | undefined): value is Environment =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;

/** Whether a path is in an environment; a value that is null counts. */
export function hasPath(environment: Environment, path: readonly string[]): boolean {
  let at: JsonValue | undefined = environment;
  for (const part of path) {
    if (typeof at !== 'object' || at === null || Array.isArray(at) || !Object.hasOwn(at, part)) return false;
    at = at[part];
  }
  return true;
}
