import { globalTenant } from '../../../kinds/index.ts';
import { visiblePlans } from '../../../model/catalog/is-plan-visible.ts';
import type { CompiledQuery } from '../../../model/query/compile-query.ts';
import type { BindingRow, InstanceRow, PlatformRow, Registry, TableName, VisibilityRow } from '../../../model/rows.ts';
import { instanceTerm } from '../../../model/sharing/rows-of-instance.ts';
import type { AnyRow } from '../routes/any-handler.ts';

/** The part of a table that a platform sees. `narrowings` and `ids` only find it; `test` decides. */
type Sight = CompiledQuery<AnyRow>;

/**
 * What a platform sees of a table: itself, the catalogue as far as it may use it, its own and public visibilities,
 * its own instances and bindings, and nothing else.
 */
export function platformSight(
  registry: Registry,
  { table, platformId }: { readonly table: TableName; readonly platformId: string },
): Sight {
  const platform = registry.platforms.get(platformId);
  if (platform === undefined) return withIds([]);
  const plans = () => visiblePlans(registry, platform);
  switch (table) {
    case 'platforms':
      return withIds([platformId]);
    case 'plans':
      return withIds(plans().map(({ id }) => id));
    case 'offerings':
      return withIds(plans().map(({ spec }) => spec.offeringId));
    case 'brokers':
      return withIds(plans().map(({ spec }) => spec.brokerId));
    case 'visibilities':
      return visibilitiesFor(platform);
    case 'instances':
      return instancesOf(platformId);
    case 'bindings':
      return bindingsOf(registry, platformId);
    default:
      return withIds([]);
  }
}

function withIds(ids: readonly string[]): Sight {
  const seen = new Set(ids);
  return { narrowings: [], ids: [...seen], isExact: false, test: ({ id }) => seen.has(id) };
}

function visibilitiesFor({ id, tenant }: PlatformRow): Sight {
  return {
    narrowings: [{ index: 'platformId', values: [id, ''] }],
    isExact: false,
    test: row => {
      const { spec } = row as VisibilityRow;
      if (spec.platformId === id) return true;
      return (spec.platformId ?? '') === '' && (row.tenant === globalTenant || row.tenant === tenant);
    },
  };
}

function bindingsOf(registry: Registry, platformId: string): Sight {
  const { instances } = registry;
  return {
    // Only a list needs them: a platform may have very many instances.
    get narrowings() {
      return [{ index: 'instance', values: Array.from(instances.by('platformId', platformId), instanceTerm) }];
    },
    isExact: true,
    test: row => {
      const instance = instances.get((row as BindingRow).spec.instanceId);
      return instance?.tenant === row.tenant && instance.spec.platformId === platformId;
    },
  };
}

function instancesOf(platformId: string): Sight {
  return {
    narrowings: [{ index: 'platformId', values: [platformId] }],
    isExact: true,
    test: row => (row as InstanceRow).spec.platformId === platformId,
  };
}
