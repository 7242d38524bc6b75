import type { KubeObject } from '@chandlery/api';
import type { ObjectName, ServedKind } from '../../api/kinds.ts';
import { type PastChoice, readPast } from '../../api/revisions.ts';
import type { QueryChange } from '../../routing/location.ts';
import { useLoaded } from '../../ui/use-request.ts';

/** The version that an address asks for; undefined: the present. */
export function pastChoiceOf(query: URLSearchParams): PastChoice | undefined {
  const revision = query.get('revision');
  const at = query.get('at');
  if (revision !== null) return { revision };
  return at === null ? undefined : { at };
}

/** What an address changes to show a version, or the present. */
export const pastQuery = (choice: PastChoice | undefined): QueryChange => ({
  revision: undefined,
  at: undefined,
  ...choice,
});

/** The version that a view shows instead of the present. */
export interface PastObject {
  readonly object?: KubeObject;
  readonly error?: unknown;
}

/** Reads a version of an object; does nothing without a choice. */
export function usePastObject(
  cluster: string,
  kind: ServedKind,
  { namespace = '', name }: ObjectName,
  choice: PastChoice | undefined,
): PastObject {
  const { value, error } = useLoaded<KubeObject | undefined>(
    async signal => choice && readPast({ cluster, kind, namespace, name }, choice, signal),
    [cluster, kind, namespace, name, JSON.stringify(choice)],
  );
  return { ...(value && { object: value }), ...(error !== undefined && { error }) };
}
