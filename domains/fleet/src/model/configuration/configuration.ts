import type { ClusterState } from '../../kinds/index.ts';

/**
 * The configuration of a product as the domain uses it: the document of `chandlery fleet configure`, validated, with
 * defaults filled in. `read-configuration.ts` makes it.
 */
export interface FleetConfiguration {
  readonly product: { readonly id: string; readonly kind: string };
  readonly tokens: TokenSettings;
  readonly settings: FleetSettings;
  /** By id, in the order of the document. */
  readonly instanceTypes: ReadonlyMap<string, InstanceType>;
  /** By name, in the order of the document. */
  readonly providers: ReadonlyMap<string, CloudProvider>;
  /** Clusters of the document, in its order. */
  readonly clusters: readonly ConfiguredCluster[];
  /** Their ids. */
  readonly clusterIds: ReadonlySet<string>;
  readonly quota: QuotaList;
  readonly denyList: ReadonlySet<string>;
  readonly accessList: ReadonlySet<string>;
  readonly dns: DnsSettings;
  readonly sso: SsoSettings;
  readonly certificates: CertificateSettings;
  readonly terms: TermsSettings | undefined;
  readonly metrics: MetricsSettings;
}

/** Issuers of tokens, each one of `oidc:` of the server or the landscape's own. */
export interface TokenSettings {
  readonly userIssuer: string | undefined;
  readonly agentIssuer: string | undefined;
  readonly adminIssuer: string | undefined;
}

export interface FleetSettings {
  readonly quotaType: 'quota-management-list';
  readonly enableInstanceLimitControl: boolean;
  readonly maxAllowedInstances: number;
  readonly allowTrialInstances: boolean;
  readonly maxAllowedTrialInstances: number;
  readonly enableDenyList: boolean;
  readonly enableAccessList: boolean;
  readonly enableTermsAcceptance: boolean;
  readonly scalingType: 'manual' | 'auto' | 'none';
  readonly enableDynamicScaleUp: boolean;
  readonly enableDynamicScaleDown: boolean;
  readonly deadlines: Deadlines;
  /** How long an instance outlives its quota entry. Default 14 days. */
  readonly quotaGraceSeconds: number;
  /** Deletions that no user requested, per minute. Default 60. */
  readonly maxDeletionsPerMinute: number;
  /** How long records of deleted instances are kept. Default 30 days. */
  readonly deletedRetentionSeconds: number;
  /** After which an agent that does not speak is silent. Default 90. */
  readonly agentSilenceSeconds: number;
}

/** Seconds after which an instance that has not got on has failed. */
export interface Deadlines {
  readonly accepted: number;
  readonly noVersion: number;
  readonly preparing: number;
  readonly provisioning: number;
}

export interface InstanceType {
  readonly id: string;
  readonly displayName: string;
  /** By id, in the order of the document; at least one. */
  readonly sizes: ReadonlyMap<string, InstanceSize>;
}

export interface InstanceSize {
  readonly id: string;
  readonly displayName: string;
  readonly quotaConsumed: number;
  readonly capacityConsumed: number;
  /** Undefined: it does not expire. */
  readonly lifespanSeconds: number | undefined;
}

export interface CloudProvider {
  readonly name: string;
  readonly displayName: string;
  readonly isDefault: boolean;
  readonly regions: ReadonlyMap<string, CloudRegion>;
}

export interface CloudRegion {
  readonly name: string;
  readonly displayName: string;
  readonly isDefault: boolean;
  /** By id of the instance type. */
  readonly instanceTypes: ReadonlyMap<string, RegionLimits>;
}

export interface RegionLimits {
  /** Capacity units; undefined: no limit; 0: closed. */
  readonly limit: number | undefined;
  /** `min_available_capacity_slack_streaming_units`: free units to keep ready. Default 0. */
  readonly slack: number;
}

export interface ConfiguredCluster {
  readonly name: string;
  readonly clusterId: string;
  readonly cloudProvider: string;
  readonly region: string;
  readonly multiAz: boolean;
  readonly schedulable: boolean;
  /** Capacity units; undefined: no limit. */
  readonly instanceLimit: number | undefined;
  /** The state that it begins in. Default `cluster_provisioning`; `ready` needs no terraforming. */
  readonly status: ClusterState;
  readonly providerType: 'standalone' | 'landscape';
  /** Empty: the provider says it. */
  readonly clusterDns: string;
  /** Undefined: all. */
  readonly supportedInstanceTypes: readonly string[] | undefined;
}

/** The id of an entry for organisations that have none of their own. */
export const everyOrganisation = '*';

export interface QuotaList {
  /** By id; {@link everyOrganisation} stands for all that are not listed. */
  readonly organisations: ReadonlyMap<string, OrganisationQuota>;
  readonly serviceAccounts: ReadonlyMap<string, AccountQuota>;
}

export interface OrganisationQuota {
  readonly id: string;
  readonly anyUser: boolean;
  /** Undefined: the settings' `maxAllowedInstances`. */
  readonly maxAllowedInstances: number | undefined;
  readonly users: ReadonlySet<string>;
}

export interface AccountQuota {
  readonly username: string;
  readonly maxAllowedInstances: number | undefined;
}

export type DnsSettings =
  | {
      readonly type: 'route53';
      readonly endpoint: string | undefined;
      readonly domain: string;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
    }
  | {
      readonly type: 'rfc2136';
      readonly server: string;
      readonly port: number;
      readonly keyName: string;
      readonly keyAlgorithm: string;
      readonly keySecret: string;
      readonly domain: string;
    }
  | { readonly type: 'embedded'; readonly port: number; readonly domain: string }
  | { readonly type: 'none' };

export type SsoSettings =
  | {
      readonly type: 'keycloak';
      readonly baseUrl: string;
      readonly realm: string;
      readonly clientId: string;
      readonly clientSecret: string;
    }
  | { readonly type: 'embedded' }
  | { readonly type: 'none' };

export type CertificateSettings =
  | { readonly type: 'acme'; readonly directoryUrl: string; readonly email: string | undefined }
  | { readonly type: 'embedded' }
  | { readonly type: 'none' };

export interface TermsSettings {
  readonly url: string;
  readonly siteCode: string;
  readonly eventCode: string;
}

export type MetricsSettings = { readonly type: 'prometheus'; readonly url: string } | { readonly type: 'embedded' };
