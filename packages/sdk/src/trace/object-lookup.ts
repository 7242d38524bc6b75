import type { KubeObject } from '@chandlery/api';

/** Which objects of one cluster are wanted, as `spec` of an ObjectLookup. */
export interface ObjectLookup {
  /** Uids: what has an owner reference to them. */
  readonly owners?: readonly string[];
  readonly objects?: readonly ObjectAddress[];
  readonly labelSelectors?: readonly string[];
  readonly namespaces?: readonly string[];
  /** The cluster-scoped objects of these API groups. */
  readonly groups?: readonly string[];
}

/** An object by its name. */
export interface ObjectAddress {
  readonly group: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

interface LookupStatus {
  readonly items?: readonly KubeObject[];
  readonly continue?: string;
}

/** Where lookups are sent, below the address of a cluster. */
export const lookupPath = '/apis/search.chandlery.io/v1alpha1/objectlookups';

/** A lookup as it is sent. */
export const lookupBody = (spec: object): object => ({
  apiVersion: 'search.chandlery.io/v1alpha1',
  kind: 'ObjectLookup',
  spec,
});

const fields = ['owners', 'objects', 'labelSelectors', 'namespaces', 'groups'] as const;
/** One request may ask for so many things. */
const maxQuestions = 500;

/** Both lookups at once. */
export function mergeLookups(one: ObjectLookup, other: ObjectLookup): ObjectLookup {
  const merged = fields.map(field => [field, [...(one[field] ?? []), ...(other[field] ?? [])]] as const);
  return Object.fromEntries(merged.filter(([, items]) => items.length > 0));
}

/** All objects of a lookup, page by page. `send` posts a body to `lookupPath` and returns the response. */
export async function readLookup(
  lookup: ObjectLookup,
  send: (body: object) => Promise<{ readonly status?: LookupStatus }>,
): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  for (const part of partsOf(lookup))
    for (let next: string | undefined, isFirst = true; isFirst || next !== undefined; isFirst = false) {
      const spec = next === undefined ? part : { ...part, continue: next };
      const { status = {} } = await send(lookupBody(spec));
      found.push(...(status.items ?? []));
      next = status.continue;
    }
  return found;
}

/** A lookup in parts that are not too large for a request. */
function partsOf(lookup: ObjectLookup): readonly ObjectLookup[] {
  const questions = fields.flatMap(field => (lookup[field] ?? []).map(item => ({ field, item })));
  const parts: ObjectLookup[] = [];
  for (let start = 0; start < questions.length; start += maxQuestions) {
    const groups = Map.groupBy(questions.slice(start, start + maxQuestions), ({ field }) => field);
    parts.push(Object.fromEntries([...groups].map(([field, some]) => [field, some.map(({ item }) => item)])));
  }
  return parts;
}
