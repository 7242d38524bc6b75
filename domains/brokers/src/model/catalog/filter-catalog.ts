import type { JsonObject } from '@chandlery/api';
import type { BrokerRow, OfferingRow, PlanRow, PlatformRow, Registry } from '../rows.ts';
import { isPlanInCatalog } from './is-plan-visible.ts';

type Tables = Pick<Registry, 'offerings' | 'plans' | 'visibilities'>;

/** Ids of the plans of a broker that a platform finds in its catalog. */
export function plansInCatalog(registry: Tables, broker: BrokerRow, platform: PlatformRow): ReadonlySet<string> {
  const plans = [...registry.plans.by('brokerId', broker.id)];
  return new Set(plans.filter(plan => isPlanInCatalog(registry, plan, platform)).map(({ id }) => id));
}

/**
 * The catalog with these plans alone, as the platform gets it. Entries are what the broker said, whole, with our ids in
 * their metadata; offerings without plans are left out.
 */
export function renderCatalog(registry: Tables, broker: BrokerRow, planIds: ReadonlySet<string>): Buffer {
  const catalog = (broker.status.catalog ?? {}) as JsonObject;
  const rowOfCatalogId = new Map(
    [...registry.offerings.by('brokerId', broker.id)].map(row => [row.spec.catalogId, row]),
  );
  const services = objects(catalog['services']).flatMap(raw => {
    const offering = rowOfCatalogId.get(raw['id'] as string);
    return offering === undefined ? [] : renderOffering(registry, offering, { raw, planIds });
  });
  return Buffer.from(JSON.stringify({ ...catalog, services }));
}

/** The catalog of a broker for a platform. */
export const filterCatalog = (registry: Tables, broker: BrokerRow, platform: PlatformRow): Buffer =>
  renderCatalog(registry, broker, plansInCatalog(registry, broker, platform));

interface RawOffering {
  readonly raw: JsonObject;
  readonly planIds: ReadonlySet<string>;
}

function renderOffering({ plans }: Tables, { id }: OfferingRow, { raw, planIds }: RawOffering): JsonObject[] {
  const rowOfCatalogId = new Map<string, PlanRow>(
    [...plans.by('offeringId', id)].map(row => [row.spec.catalogId, row]),
  );
  const shown = objects(raw['plans']).flatMap(plan => {
    const row = rowOfCatalogId.get(plan['id'] as string);
    return row !== undefined && planIds.has(row.id) ? [withMetadata(plan, { sm_plan_id: row.id })] : [];
  });
  return shown.length === 0 ? [] : [{ ...withMetadata(raw, { sm_offering_id: id }), plans: shown }];
}

const withMetadata = (raw: JsonObject, added: JsonObject): JsonObject => ({
  ...raw,
  metadata: { ...(raw['metadata'] as JsonObject | null | undefined), ...added },
});

/** Stored catalogs have been checked: what is there is a list of objects. */
const objects = (value: unknown): readonly JsonObject[] => (value ?? []) as readonly JsonObject[];
