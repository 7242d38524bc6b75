import type { KubeObject } from '@chandlery/api';
import { createClient, type HttpClient, type ObjectRef, type ResourceRef } from '@chandlery/client';
import type { Flag } from '../args/flags.ts';
import { usageError } from '../args/usage-error.ts';
import type { CommandContext } from '../command.ts';
import { contextConnectionOf, serverOfCluster } from '../landscape/connect.ts';
import { discoverKinds, findKind, type ServedKind } from './discover.ts';

/** Flags that say where objects are. */
export const scopeFlags = {
  namespace: { type: 'text', short: 'n', valueName: 'NAME', about: "The namespace. Default: the context's." },
  cluster: { type: 'text', valueName: 'NAME', about: "The logical cluster. Default: the context's." },
} as const satisfies Record<string, Flag>;

/** The cluster and namespace that a command works in. */
export interface Scope extends AsyncDisposable {
  readonly client: HttpClient;
  readonly kinds: readonly ServedKind[];
  readonly namespace: string;
}

/** Connects to the cluster of the context, or of `--cluster`, and reads what it serves. `byDefault`: another cluster. */
export async function openScope(context: CommandContext, byDefault?: string): Promise<Scope> {
  const { flags } = context;
  const connection = contextConnectionOf(context);
  const cluster = flags.text('cluster') ?? byDefault;
  const server = cluster === undefined ? connection.server : serverOfCluster(connection.server, cluster);
  const client = createClient({ ...connection, server });
  return {
    client,
    kinds: await discoverKinds(client),
    namespace: flags.text('namespace') ?? connection.namespace ?? 'default',
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** Where a kind's objects are listed. */
export const collectionIn = (
  { namespace }: Scope,
  { ref, isNamespaced }: ServedKind,
  isEverywhere = false,
): ResourceRef => (isNamespaced && !isEverywhere ? { ...ref, namespace } : ref);

/** One object that the command line names. */
export interface Target {
  readonly kind: ServedKind;
  readonly ref: ObjectRef;
}

/** Reads `KIND NAME…` or `KIND/NAME…`. */
export function targetsOf(words: readonly string[], scope: Scope): Target[] {
  const [first = '', ...names] = words;
  const pairs = first.includes('/') ? words.map(pairOf) : names.map(name => [first, name] as const);
  if (pairs.length === 0) throw usageError('MissingArgument', 'NAME is missing: say KIND/NAME, or KIND NAME');
  return pairs.map(([word, name]) => {
    const kind = findKind(word, scope.kinds);
    return { kind, ref: { ...collectionIn(scope, kind), name } };
  });
}

/** What goals call the objects of `KIND NAME…` or `KIND/NAME…`: `project/acme`. */
export function namedBy([first, second, ...more]: readonly string[]): string {
  if (first === undefined) return 'the objects';
  const isPair = !first.includes('/') && second !== undefined;
  const isAlone = more.length === 0 && (isPair || second === undefined);
  return `${isPair ? `${first}/${second}` : first}${isAlone ? '' : ' and others'}`;
}

/** Reads `KIND/NAME`. */
export function pairOf(word: string): readonly [kind: string, name: string] {
  const [kind = '', name = '', ...rest] = word.split('/');
  if (kind === '' || name === '' || rest.length > 0)
    throw usageError('UnexpectedArgument', `"${word}" is not KIND/NAME: say pod/shop`);
  return [kind, name];
}

/** How results and errors name an object: `configmap/shop`, `project.core.openmcp.cloud/acme`. */
export const labelOf = ({ ref, kind }: ServedKind, name: string): string =>
  `${kind.toLowerCase()}${ref.group === '' ? '' : `.${ref.group}`}/${name}`;

/** An object without the bookkeeping of field managers, which few readers want. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
