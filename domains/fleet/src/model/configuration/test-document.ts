import { parse } from 'yaml';
import type { FleetConfiguration } from './configuration.ts';
import { readConfiguration } from './read-configuration.ts';

type Document = Record<string, unknown>;

/** A complete document: two regions, one cluster, two organisations and a service account. */
export const exampleYaml = `
product: { id: dinosaurs, kind: Dinosaur }
tokens:
  user_issuer: https://login.example.com/auth/realms/users
  agent_issuer: https://login.example.com/auth/realms/agents
  admin_issuer: https://login.example.com/auth/realms/staff
settings:
  quota_type: quota-management-list
  enable_instance_limit_control: true
  max_allowed_instances: 1
  allow_trial_instances: true
  max_allowed_trial_instances: 1
  enable_deny_list: true
  enable_access_list: false
  enable_terms_acceptance: false
  dataplane_cluster_scaling_type: manual
  enable_dynamic_scale_up: false
  enable_dynamic_scale_down: false
  deadlines: { accepted: 3600, no_version: 300, preparing: 300, provisioning: 3600 }
instance_types:
  - { id: standard, display_name: Standard, sizes: [{ id: x1, quota_consumed: 1, capacity_consumed: 1, lifespan_seconds: null }, { id: x2, quota_consumed: 2, capacity_consumed: 2, lifespan_seconds: null }] }
  - { id: eval, display_name: Trial, sizes: [{ id: x1, quota_consumed: 1, capacity_consumed: 1, lifespan_seconds: 172800 }] }
supported_providers:
  - name: aws
    default: true
    regions:
      - { name: eu-central-1, default: true, supported_instance_type: { standard: {}, eval: {} } }
      - { name: eu-north-1, supported_instance_type: { standard: { limit: 10 } } }
clusters:
  - name: frankfurt-1
    cluster_id: frankfurt-1
    cloud_provider: aws
    region: eu-central-1
    multi_az: true
    schedulable: true
    dinosaur_instance_limit: 50
    status: ready
    provider_type: standalone
    cluster_dns: apps.frankfurt-1.example.com
    supported_instance_type: standard,eval
registered_users_per_organisation:
  - { id: "13640203", any_user: true, max_allowed_instances: 5, registered_users: [] }
  - { id: "13645369", any_user: false, max_allowed_instances: 2, registered_users: [{ username: ann }, { username: ben }] }
registered_service_accounts:
  - { username: ci-robot, max_allowed_instances: 1 }
deny_list: [mallory]
access_list: []
dns: { type: route53, endpoint: https://route53.amazonaws.com, domain: dinosaurs.example.com, access_key_id: AKIA, secret_access_key: key-of-route53 }
sso: { type: keycloak, base_url: https://login.example.com, realm: agents, client_id: fleet, client_secret: key-of-keycloak }
terms: { url: https://accounts.example.com/api/authorizations/v1/terms_review, site_code: OCM, event_code: register }
metrics: { type: prometheus, url: https://prometheus.example.com }
`;

/** The example with other sections. */
export const exampleDocument = (sections: Document = {}): Document => ({
  ...(parse(exampleYaml) as Document),
  ...sections,
});

/** The example with other settings and sections, read. */
export function exampleConfiguration(sections: Document & { settings?: Document } = {}): FleetConfiguration {
  const { settings } = exampleDocument() as { settings: Document };
  const read = readConfiguration(exampleDocument({ ...sections, settings: { ...settings, ...sections.settings } }));
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.configuration;
}
