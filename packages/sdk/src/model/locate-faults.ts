import { dirname } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import type { ConfigObject } from '../definition/config-kind.ts';
import type { ProviderDefinition } from '../definition/provider-definition.ts';
import type { Service } from '../definition/service.ts';
import type { ServiceObject } from '../definition/service-kind.ts';

/** The folder of our packages in a clone; where they are installed, their paths have `node_modules`. */
const ourPackages = dirname(dirname(dirname(import.meta.dirname)));
const isTest = (path: string): boolean => /\/(test-[^/]+|[^/]+\.test)\.ts$/.test(path);
const isForeign = (path: string): boolean =>
  path.includes('/node_modules/') || (path.startsWith(`${ourPackages}/`) && !isTest(path));

const frame = /^\s+at (?:.*[( ])?(?:file:\/\/)?(\/[^():]+):(\d+):\d+\)?(?: \{)?$/;

/** File and line of the first frame in the provider's own code, such as `provider.ts:42`. */
export function originOf({ stack = '' }: Error): string | undefined {
  for (const line of stack.split('\n')) {
    const [, path = '', number] = frame.exec(line) ?? [];
    if (path !== '' && !isForeign(path)) return `${path.slice(path.lastIndexOf('/') + 1)}:${number}`;
  }
  return undefined;
}

/**
 * Returns the definition with functions whose unexpected errors name the function and the place in the provider's code.
 * The error is the cause, with its stack. Errors of ours, such as `userError`, stay as they are.
 */
export function locateFaults<T extends ServiceObject, C extends ConfigObject>(
  definition: ProviderDefinition<T, C>,
): ProviderDefinition<T, C> {
  const { service } = definition;
  const functions = functionNames.flatMap(name => {
    const call = service[name];
    return call === undefined ? [] : [[name, located(name, call as AnyFunction, service)] as const];
  });
  return {
    ...definition,
    service: Object.fromEntries(functions),
    ...(definition.shared && {
      shared: context => guarded('shared', () => definition.shared?.(context) ?? []),
    }),
  };
}

const functionNames = [
  'desired',
  'observe',
  'createOrUpdate',
  'delete',
  'release',
] as const satisfies (keyof Service)[];

type AnyFunction = (...args: readonly unknown[]) => unknown;

const located =
  (name: string, call: AnyFunction, owner: object): AnyFunction =>
  (...args) =>
    guarded(name, () => call.apply(owner, [...args]));

function guarded<T>(name: string, call: () => T): T {
  try {
    const result = call();
    return result instanceof Promise ? (result.catch((thrown: unknown) => rethrow(name, thrown)) as T) : result;
  } catch (thrown) {
    return rethrow(name, thrown);
  }
}

function rethrow(name: string, thrown: unknown): never {
  if (thrown instanceof ChandleryError || isAbort(thrown)) throw thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const origin = thrown instanceof Error ? originOf(thrown) : undefined;
  const place = origin === undefined ? name : `${name}, ${origin}`;
  throw new ChandleryError('InternalError', `${message} (${place})`, { cause: thrown });
}

const isAbort = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === 'AbortError';
