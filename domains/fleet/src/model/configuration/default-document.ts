import { everyOrganisation } from './configuration.ts';

/** The product that exists without any configuration. */
export const defaultProduct = { id: 'dinosaurs', kind: 'Dinosaur' } as const;

const unlimited = { quota_consumed: 1, capacity_consumed: 1, lifespan_seconds: null };
const trial = { quota_consumed: 1, capacity_consumed: 1, lifespan_seconds: 48 * 3600 };

/** Types of a document that names none. */
export const defaultInstanceTypes = [
  { id: 'standard', display_name: 'Standard', sizes: [{ id: 'x1', ...unlimited }] },
  { id: 'eval', display_name: 'Trial', sizes: [{ id: 'x1', ...trial }] },
] as const;

/** Where instances run in a document that names no providers: on clusters that the landscape makes on this machine. */
export const defaultProviders = (typeIds: readonly string[]): unknown => [
  {
    name: 'local',
    display_name: 'This machine',
    default: true,
    regions: [
      {
        name: 'local',
        display_name: 'This machine',
        default: true,
        supported_instance_type: Object.fromEntries(typeIds.map(id => [id, {}])),
      },
    ],
  },
];

/**
 * The document of the built-in product: every user with a token of the landscape may order standard instances, which run on
 * clusters that the landscape makes on demand. Everything else has its default.
 */
export const defaultDocument: Readonly<Record<string, unknown>> = {
  product: defaultProduct,
  settings: {
    dataplane_cluster_scaling_type: 'auto',
    enable_dynamic_scale_up: true,
    enable_dynamic_scale_down: true,
  },
  registered_users_per_organisation: [{ id: everyOrganisation, any_user: true }],
};
