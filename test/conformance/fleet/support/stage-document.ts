import type { TokenIssuer } from './token-issuer.ts';

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

const cluster = (id: string, region: string): Json => ({
  name: id,
  cluster_id: id,
  cloud_provider: 'aws',
  region,
  multi_az: true,
  schedulable: true,
  dinosaur_instance_limit: 50,
  status: 'ready',
  provider_type: 'standalone',
  cluster_dns: `apps.${id}.example.com`,
  supported_instance_type: 'standard,eval',
});

/** The tokens section: three realms of one issuer. */
export const tokensOf = (issuer: TokenIssuer): Json => ({
  user_issuer: issuer.issuerOf('users'),
  agent_issuer: issuer.issuerOf('agents'),
  admin_issuer: issuer.issuerOf('staff'),
});

/** Settings of the stage. */
export const stageSettings: Json = {
  enable_instance_limit_control: true,
  enable_deny_list: true,
  dataplane_cluster_scaling_type: 'manual',
};

/**
 * The document of the stage. Region eu-1 has room, eu-2 for one instance, eu-3 has no cluster, and eu-4 takes trials only.
 * Organisation 100 has quota for five, 300 for a thousand, 400 for one; in 500 only nora is registered.
 */
export const stageDocument = (issuer: TokenIssuer): Json => ({
  product: { id: 'dinosaurs', kind: 'Dinosaur' },
  tokens: tokensOf(issuer),
  settings: stageSettings,
  supported_providers: [
    {
      name: 'aws',
      default: true,
      regions: [
        { name: 'eu-1', default: true, supported_instance_type: { standard: {}, eval: {} } },
        { name: 'eu-2', supported_instance_type: { standard: { limit: 1 } } },
        { name: 'eu-3', supported_instance_type: { standard: {} } },
        { name: 'eu-4', supported_instance_type: { eval: {} } },
      ],
    },
  ],
  clusters: [cluster('one', 'eu-1'), cluster('two', 'eu-2')],
  registered_users_per_organisation: [
    { id: '100', any_user: true, max_allowed_instances: 5, registered_users: [] },
    { id: '300', any_user: true, max_allowed_instances: 1000, registered_users: [] },
    { id: '400', any_user: true, max_allowed_instances: 1, registered_users: [] },
    { id: '500', any_user: false, max_allowed_instances: 5, registered_users: [{ username: 'nora' }] },
  ],
  registered_service_accounts: [{ username: 'robot', max_allowed_instances: 1 }],
  deny_list: ['mallory'],
  dns: { type: 'none' },
  sso: { type: 'none' },
});
