/** A plan of a catalog with the fields that the scripted broker reads. Other fields are served unchanged. */
export interface CatalogPlan {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly bindable?: boolean;
  readonly plan_updateable?: boolean;
  readonly binding_rotatable?: boolean;
  readonly [field: string]: unknown;
}

/** An offering of a catalog. */
export interface CatalogOffering {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly bindable: boolean;
  readonly plan_updateable?: boolean;
  readonly instances_retrievable?: boolean;
  readonly bindings_retrievable?: boolean;
  readonly plans: readonly CatalogPlan[];
  readonly [field: string]: unknown;
}

export interface BrokerCatalog {
  readonly services: readonly CatalogOffering[];
}

/**
 * How instances of a plan come about, by the beginning of the plan's name: `async…` within some polls, `slow…` not before
 * the test says so, any other at once.
 */
export type PlanPace = 'sync' | 'async' | 'slow';

export function paceOf({ name }: CatalogPlan): PlanPace {
  if (name.startsWith('async')) return 'async';
  return name.startsWith('slow') ? 'slow' : 'sync';
}

const size = {
  $schema: 'http://json-schema.org/draft-04/schema#',
  type: 'object',
  properties: { size: { type: 'integer' } },
};

const plan = (offering: string, name: string, more: Readonly<Record<string, unknown>> = {}): CatalogPlan => ({
  id: `${offering}-${name}`,
  name,
  description: `A ${offering} of the plan ${name}.`,
  ...more,
});

/**
 * Two offerings. `database` can be fetched, bound, updated and shared, in the plans `sync`, `async`, `slow`, `shared` and
 * `rotatable`; `queue` can only be bound, in the plans `sync` and `async`, and not even that in `unbindable`. A suffix goes
 * into all names and ids, so that several brokers can be registered side by side: `database<suffix>-id` has the plan
 * `database<suffix>-sync`.
 */
export function defaultCatalog(suffix = ''): BrokerCatalog {
  const database = `database${suffix}`;
  const queue = `queue${suffix}`;
  return {
    services: [
      {
        id: `${database}-id`,
        name: database,
        description: 'A database.',
        bindable: true,
        plan_updateable: true,
        instances_retrievable: true,
        bindings_retrievable: true,
        allow_context_updates: true,
        tags: ['relational'],
        metadata: { displayName: 'Database', vendorField: { kept: true } },
        plans: [
          plan(database, 'sync', { free: true, schemas: { service_instance: { create: { parameters: size } } } }),
          plan(database, 'async', { free: false, maximum_polling_duration: 600 }),
          plan(database, 'slow'),
          plan(database, 'shared', { metadata: { supportsInstanceSharing: true } }),
          plan(database, 'rotatable', { binding_rotatable: true }),
        ],
      },
      {
        id: `${queue}-id`,
        name: queue,
        description: 'A queue.',
        bindable: true,
        plans: [plan(queue, 'sync'), plan(queue, 'async'), plan(queue, 'unbindable', { bindable: false })],
      },
    ],
  };
}
