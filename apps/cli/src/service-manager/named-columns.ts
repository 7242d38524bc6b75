import { namesOf, objectsOf } from './queries.ts';
import type { SmClient } from './sm-client.ts';
import { type Column, type SmKind, smKinds } from './sm-kinds.ts';
import type { SmObject } from './sm-types.ts';

/** A column with an id that is shown as a name. */
interface NamedColumn {
  readonly heading: string;
  readonly idOf: (object: SmObject) => string | undefined;
  readonly namesOf: (sm: SmClient, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** By the heading of the column of ids. */
const namedColumns: Readonly<Record<string, NamedColumn>> = {
  'service plan id': { heading: 'plan', idOf: ({ service_plan_id }) => service_plan_id, namesOf: planNames },
  'platform id': {
    heading: 'platform',
    idOf: ({ platform_id }) => platform_id,
    namesOf: (sm, ids) => namesOf(sm, smKinds.platforms, ids),
  },
  'offering id': {
    heading: 'offering',
    idOf: ({ service_offering_id }) => service_offering_id,
    namesOf: (sm, ids) => namesOf(sm, smKinds.offerings, ids),
  },
  'broker id': {
    heading: 'broker',
    idOf: ({ broker_id }) => broker_id,
    namesOf: (sm, ids) => namesOf(sm, smKinds.brokers, ids),
  },
};

/** The columns of a kind for some rows, with names in place of ids. An id without a name that the caller may read stays. */
export async function columnsWithNames(
  sm: SmClient,
  { columns }: SmKind,
  items: readonly SmObject[],
): Promise<readonly Column[]> {
  return Promise.all(columns.map(column => named(sm, column, items)));
}

async function named(sm: SmClient, column: Column, items: readonly SmObject[]): Promise<Column> {
  const [heading, read] = column;
  const shown = namedColumns[heading];
  if (shown === undefined || items.length === 0) return column;
  const names = await shown.namesOf(
    sm,
    items.flatMap(item => shown.idOf(item) || []),
  );
  return [shown.heading, object => names.get(shown.idOf(object) ?? '') ?? read(object)];
}

/** `offering/plan`. */
async function planNames(sm: SmClient, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const plans = await objectsOf(sm, smKinds.plans, ids);
  const offerings = await namesOf(
    sm,
    smKinds.offerings,
    plans.map(({ service_offering_id = '' }) => service_offering_id),
  );
  return new Map(
    plans.map(({ id, name = id, service_offering_id = '' }) => [
      id,
      `${offerings.get(service_offering_id) ?? service_offering_id}/${name}`,
    ]),
  );
}
