import { namesOf, objectsOf } from './queries.ts';
import type { SmClient } from './sm-client.ts';
import { type Column, type SmKind, smKinds } from './sm-kinds.ts';
import type { SmObject, SmOperation } from './sm-types.ts';

type Row = SmObject & SmOperation;

/** A column with an id that is shown as a name. */
interface NamedColumn {
  readonly heading: string;
  readonly idOf: (object: Row) => string | undefined;
  readonly namesOf: (sm: SmClient, objects: readonly Row[]) => Promise<ReadonlyMap<string, string>>;
}

const naming = (heading: string, kind: SmKind, idOf: NamedColumn['idOf']): NamedColumn => ({
  heading,
  idOf,
  namesOf: (sm, objects) =>
    namesOf(
      sm,
      kind,
      objects.flatMap(object => idOf(object) || []),
    ),
});

/** By the heading of the column of ids. */
const namedColumns: Readonly<Record<string, NamedColumn>> = {
  'service plan id': { heading: 'plan', idOf: ({ service_plan_id }) => service_plan_id, namesOf: planNames },
  'platform id': naming('platform', smKinds.platforms, ({ platform_id }) => platform_id),
  'offering id': naming('offering', smKinds.offerings, ({ service_offering_id }) => service_offering_id),
  'broker id': naming('broker', smKinds.brokers, ({ broker_id }) => broker_id),
  'service instance id': naming('instance', smKinds.instances, ({ service_instance_id }) => service_instance_id),
  'resource id': { heading: 'name', idOf: ({ resource_id }) => resource_id, namesOf: resourceNames },
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
  const [heading, read, isWide] = column;
  const shown = namedColumns[heading];
  if (shown === undefined) return column;
  const names = items.length === 0 ? new Map<string, string>() : await shown.namesOf(sm, items);
  return [shown.heading, (object, now) => names.get(shown.idOf(object) ?? '') ?? read(object, now), isWide];
}

/** The names of what operations are about. */
async function resourceNames(sm: SmClient, operations: readonly Row[]): Promise<ReadonlyMap<string, string>> {
  const byPath = Map.groupBy(operations, ({ resource_type = '' }) => resource_type);
  const names = await Promise.all(
    Object.values(smKinds).map(kind =>
      namesOf(
        sm,
        kind,
        (byPath.get(kind.path) ?? []).flatMap(({ resource_id = [] }) => resource_id),
      ),
    ),
  );
  return new Map(names.flatMap(found => [...found]).filter(([, name]) => name !== ''));
}

/** `offering/plan`. */
async function planNames(sm: SmClient, objects: readonly Row[]): Promise<ReadonlyMap<string, string>> {
  const ids = objects.flatMap(({ service_plan_id }) => service_plan_id || []);
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
