import type { KubeObject, RevisionEntry } from '@chandlery/api';
import { type HttpClient, type ObjectRef, resourcePath } from '@chandlery/client';
import { usageError } from '../args/usage-error.ts';
import type { Scope, Target } from './scope.ts';
import { targetsOf } from './scope.ts';

/** The versions of an object that are kept, newest first. */
export async function* readRevisions(client: HttpClient, ref: ObjectRef): AsyncGenerator<RevisionEntry> {
  for (let next: string | undefined, isFirst = true; isFirst || next !== undefined; isFirst = false) {
    const response = await client.raw(resourcePath(ref), { query: { revisions: true, continue: next } });
    const page = (await response.json()) as {
      readonly metadata: { readonly continue?: string };
      readonly items: readonly RevisionEntry[];
    };
    yield* page.items;
    next = page.metadata.continue;
  }
}

/** An object as it was at a revision. */
export async function readRevision(client: HttpClient, ref: ObjectRef, revision: string): Promise<KubeObject> {
  const response = await client.raw(resourcePath(ref), { query: { revision } });
  return (await response.json()) as KubeObject;
}

/** The one object that the command line names, and the words after it. */
export function oneTarget(
  words: readonly string[],
  scope: Scope,
): { readonly target: Target; readonly rest: readonly string[] } {
  const length = words[0]?.includes('/') ? 1 : 2;
  const [target] = targetsOf(words.slice(0, length), scope);
  if (target === undefined) throw usageError('MissingArgument', 'NAME is missing: say KIND/NAME, or KIND NAME');
  return { target, rest: words.slice(length) };
}
