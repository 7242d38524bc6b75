import type { SmClient, SmQuery } from './sm-client.ts';
import { pathOf, type SmKind, smKinds } from './sm-kinds.ts';
import type { SmObject } from './sm-types.ts';

/** How many ids fit into one address. */
const idsPerQuery = 50;

/** Conditions as a query of fields. */
export const fieldQuery = (conditions: readonly string[]): SmQuery => [['fieldQuery', conditions.join(' and ')]];

/** A text as the query language writes it. */
export const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** `('a','b')`. */
export const quotedList = (texts: readonly string[]): string => `(${texts.map(quoted).join(',')})`;

/** The names of resources, by their ids. Deleted resources have none. */
export async function namesOf(sm: SmClient, kind: SmKind, ids: Iterable<string>): Promise<Map<string, string>> {
  return new Map((await objectsOf(sm, kind, ids)).map(({ id, name = '' }) => [id, name]));
}

/** The resources with some ids, as far as they exist. */
export async function objectsOf(sm: SmClient, kind: SmKind, ids: Iterable<string>): Promise<readonly SmObject[]> {
  const wanted = [...new Set(ids)];
  const found: SmObject[] = [];
  for (let at = 0; at < wanted.length; at += idsPerQuery) {
    const query = fieldQuery([`id in ${quotedList(wanted.slice(at, at + idsPerQuery))}`]);
    found.push(...(await sm.all(kind.path, { query, isEverywhere: true })));
  }
  return found;
}

/** The name of the broker that a plan comes from. */
export async function brokerNameOfPlan(sm: SmClient, planId: string | undefined): Promise<string> {
  const plan = await sm.get(pathOf(smKinds.plans, planId ?? ''));
  const offering = await sm.get(pathOf(smKinds.offerings, plan.service_offering_id ?? ''));
  const broker = await sm.get(pathOf(smKinds.brokers, offering.broker_id ?? ''));
  return broker.name ?? broker.id;
}

/** Resources of a kind whose field has a value. */
export const having = (
  sm: SmClient,
  kind: SmKind,
  { field, value }: { readonly field: string; readonly value: string },
): Promise<SmObject[]> =>
  sm.all(kind.path, { query: fieldQuery([`${field} eq ${quoted(value)}`]), isEverywhere: true });
