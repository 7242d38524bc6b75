import { ambiguous, misnamed, missing } from './lookup-errors.ts';
import { brokerNameOfPlan, fieldQuery, quoted } from './queries.ts';
import type { SmClient } from './sm-client.ts';
import { pathOf, type SmKind, smKinds } from './sm-kinds.ts';
import type { SmObject } from './sm-types.ts';

/** What is looked for. */
export interface Wanted {
  readonly name: string;
  /** Wins over the name, which must fit all the same. */
  readonly id?: string | undefined;
  /** Conditions besides the name. */
  readonly conditions?: readonly string[];
}

/** How many candidates an error lists. */
const shownCandidates = 10;

/**
 * Finds the one resource that has a name. Rejects with `NotFound`, and with `Ambiguous` and the candidates when there are
 * several.
 */
export async function findOne(sm: SmClient, kind: SmKind, { name, id, conditions = [] }: Wanted): Promise<SmObject> {
  if (id !== undefined) return withName(await sm.get(pathOf(kind, id)), kind, name);
  const found = await sm.all(kind.path, { query: fieldQuery([`name eq ${quoted(name)}`, ...conditions]) });
  return onlyOne(sm, kind, { name, found });
}

/** The only one of those that were found. Rejects as {@link findOne}. */
export async function onlyOne(
  sm: SmClient,
  kind: SmKind,
  { name, found }: { readonly name: string; readonly found: readonly SmObject[] },
): Promise<SmObject> {
  const [first, ...others] = found;
  if (first === undefined) throw missing(kind, name);
  if (others.length === 0) return first;
  const printed = await Promise.all(found.slice(0, shownCandidates).map(candidate => describe(sm, kind, candidate)));
  const more = found.length > shownCandidates ? `, and ${found.length - shownCandidates} more` : '';
  throw ambiguous(`there are ${found.length} with the name "${name}": ${printed.join(', ')}${more}`, '--id ID');
}

function withName(object: SmObject, kind: SmKind, name: string): SmObject {
  if (object.name !== name) throw misnamed(kind, name, object.name);
  return object;
}

/** `id (platform eu-1, broker pg)`. */
async function describe(sm: SmClient, kind: SmKind, object: SmObject): Promise<string> {
  const traits = kind.traits.map(([word, field]) => `${word} ${object[field] ?? 'unknown'}`);
  if (kind.path === smKinds.instances.path)
    traits.push(`broker ${await brokerNameOfPlan(sm, object.service_plan_id).catch(() => 'unknown')}`);
  return traits.length === 0 ? object.id : `${object.id} (${traits.join(', ')})`;
}
