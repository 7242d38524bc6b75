import type { CertificateIssuer, ServerCertificate } from '@chandlery/platform';

/** A record of a zone: TXT when `type` says so, otherwise A or AAAA when the target is an address and CNAME when not. */
export interface DnsRecord {
  /** Fully qualified, without the final dot, within the zone. */
  readonly name: string;
  /** A host name, an IPv4 or IPv6 address, or the text of a TXT record (at most 255 bytes). */
  readonly target: string;
  readonly ttlSeconds: number;
  /** Default: what the target is. */
  readonly type?: 'TXT';
}

/** A change of a zone that was accepted. */
export interface DnsChange {
  readonly id: string;
  /** Whether every server of the zone has it already. Otherwise ask `isDone`. */
  readonly done: boolean;
}

/**
 * One zone of DNS records. Every call may be repeated. Throws `PeerUnavailable` when a retry may help and
 * `TerminalError` when not: a name outside the zone, credentials that are rejected.
 */
export interface DnsZone {
  /**
   * Writes all records in one batch, all or none. Records of the same name and type form one set, which replaces the
   * stored one. A name has either one CNAME or A, AAAA and TXT records: what the batch contradicts is removed with it.
   */
  upsert(records: readonly DnsRecord[]): Promise<DnsChange>;
  /** Removes the sets of the records' names and types, whatever they contain. Absent ones are fine. */
  remove(records: readonly DnsRecord[]): Promise<DnsChange>;
  /** Whether every server of the zone has the change. A change that is no longer known is done. */
  isDone(changeId: string): Promise<boolean>;
}

/** Whom a client of the identity provider is for. */
export interface ClientRequest {
  /** Unique in the provider; contains the instance's id. */
  readonly clientId: string;
  /** For people. */
  readonly name: string;
  readonly instanceId: string;
  readonly organisation: string;
}

/** What a workload logs in with, by the grant `client_credentials`. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Clients with a service account, one per instance. Throws `PeerUnavailable` or `TerminalError`. */
export interface IdentityProvider {
  /** Returns the client's credentials, the same ones each time until it is removed. */
  ensureClient(request: ClientRequest): Promise<ClientCredentials>;
  /** Resolves when there is no such client, whether or not there was one. */
  removeClient(clientId: string): Promise<void>;
}

/** A server certificate for the hosts of an instance. */
export type InstanceCertificate = ServerCertificate;

/** Issues server certificates. Throws `PeerUnavailable` or `TerminalError`. */
export type { CertificateIssuer };

/** Which series of which instance. */
export interface MetricsQuery {
  readonly instanceId: string;
  /** The instance's namespace on its data-plane cluster. */
  readonly namespace: string;
  /** Names of metrics. Default: all; names that do not exist select nothing. */
  readonly filters?: readonly string[];
}

/** Which part of the series. */
export interface MetricsRangeQuery extends MetricsQuery {
  /** How far back from now. */
  readonly durationMinutes: number;
  /** Between two values. */
  readonly intervalSeconds: number;
}

/** A metric's labels; its name is `__name__`. */
export type MetricLabels = Readonly<Record<string, string>>;

/** One series over time, oldest value first. Values are finite. */
export interface RangeSeries {
  readonly metric: MetricLabels;
  readonly values: readonly { readonly timestampMs: number; readonly value: number }[];
}

/** The latest value of one series. */
export interface InstantSample {
  readonly metric: MetricLabels;
  readonly timestampMs: number;
  readonly value: number;
}

/** Metrics of instances. Throws `PeerUnavailable` or `TerminalError`; an instance without metrics has empty results. */
export interface MetricsSource {
  queryRange(query: MetricsRangeQuery): Promise<readonly RangeSeries[]>;
  query(query: MetricsQuery): Promise<readonly InstantSample[]>;
  /** The latest values in Prometheus' text format. */
  federate(query: MetricsQuery): Promise<string>;
}

/** One value that an agent has measured. */
export interface MeasuredSample {
  /** With `__name__`. */
  readonly metric: MetricLabels;
  readonly value: number;
}

/** Where agents' own samples are kept. */
export interface MetricsRecorder {
  /** Records what was measured at one moment. What exceeds the limits is dropped, oldest first. */
  record(instanceId: string, samples: readonly MeasuredSample[]): void;
  /** Drops everything of a deleted instance. */
  forget(instanceId: string): void;
}

/** Which terms a user has to accept. */
export interface TermsQuestion {
  readonly url: string;
  readonly siteCode: string;
  readonly eventCode: string;
  readonly username: string;
}

/** Asks the terms service whether a user still has to accept terms. Throws `PeerUnavailable` when it does not say. */
export type AskTerms = (question: TermsQuestion) => Promise<{ readonly isRequired: boolean }>;

/** A data-plane cluster as its provider and the installer of its agent see it. */
export interface ProvidedCluster {
  /** The name of the FleetCluster object; unique. */
  readonly name: string;
  readonly product: string;
  readonly clusterId: string;
  readonly cloudProvider: string;
  readonly region: string;
  readonly multiAz: boolean;
}

/** How far a cluster is. */
export type ProvidedState =
  | { readonly type: 'pending'; readonly message: string }
  /** `clusterDns`: the base of its routes; undefined: the provider does not know it. */
  | { readonly type: 'ready'; readonly clusterDns: string | undefined }
  | { readonly type: 'failed'; readonly message: string };

/** Where clusters come from. Every call may be repeated. Throws `PeerUnavailable` or `TerminalError`. */
export interface ClusterProvider {
  /** Asks for the cluster. */
  create(cluster: ProvidedCluster): Promise<void>;
  status(cluster: ProvidedCluster): Promise<ProvidedState>;
  /** A kubeconfig with which an agent can work on the cluster; undefined: not yet, or it comes from outside the landscape. */
  kubeconfig(cluster: ProvidedCluster): Promise<string | undefined>;
  /** Asks for the removal; resolves with whether nothing is left. A cluster that does not exist counts as removed. */
  delete(cluster: ProvidedCluster): Promise<boolean>;
}

/** Runs agents on clusters that the landscape makes. Every call may be repeated. */
export interface AgentInstaller {
  /** Makes the agent run with this kubeconfig; resolves with whether it does. */
  install(cluster: ProvidedCluster, kubeconfig: string): Promise<boolean>;
  /** Ends the agent; resolves with whether nothing is left. */
  remove(cluster: ProvidedCluster): Promise<boolean>;
}

/** The systems outside that a product is configured with. Undefined: it needs none. */
export interface ProductAdapters {
  readonly dns: DnsZone | undefined;
  readonly sso: IdentityProvider | undefined;
  readonly certificates: CertificateIssuer | undefined;
}

/** Notified of what workers achieve, for metrics. */
export interface WorkerObserver {
  /** A reconcile ended. */
  reconciled(worker: string, seconds: number, isSuccess: boolean): void;
  /** An operation on an instance was begun or done. */
  operation(name: 'create' | 'delete' | 'deprovision', isSuccess: boolean): void;
  /** A job took so long from the order or the request to delete on. */
  jobDone(job: 'dinosaur_create' | 'dinosaur_delete', seconds: number): void;
}

/** Notified of what happens to clusters, for metrics. */
export interface ClusterObserver {
  /** An operation on a cluster was begun or done. */
  clusterOperation(name: 'create' | 'delete', isSuccess: boolean): void;
  /** A cluster was ready so long after it was asked for. */
  clusterReady(seconds: number): void;
}

/** Which tenant an organisation is, and the other way round. */
export interface TenantOrganisations {
  /** The organisation of a tenant, by the name of its namespace. Without one of another name, the tenant is it. */
  organisationOf(tenant: string): Promise<string>;
  /** The namespace of an organisation; the landscape's own when it has none. */
  tenantOf(organisation: string): Promise<string>;
}
