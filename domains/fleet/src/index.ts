/**
 * The fleet: instances of a managed product on data-plane clusters.
 *
 * - `openFleet`: registry, use cases and REST APIs of all products.
 * - `registry`: everything the fleet manager knows, in memory, and the one way to change it.
 * - `actions`: the use cases, which decide by `model` and commit to the registry.
 * - `ports`: what the fleet needs from the world; `adapters` has an embedded and a real implementation of each.
 */
export type { ActionDeps } from './actions/action-deps.ts';
export { admitInstance } from './actions/admit-instance.ts';
export {
  type ConfigureRequest,
  type ConfigureResult,
  configure,
  ensureDefaultProduct,
} from './actions/configure.ts';
export { createLifecycleActions, type LifecycleActions } from './actions/lifecycle-actions.ts';
export { createOrderActions } from './actions/order-actions.ts';
export {
  holdsWithoutCluster,
  type PlacedInstance,
  placementRequestOf,
  placeOnCluster,
} from './actions/place-on-cluster.ts';
export { type AgentInstallerOptions, createAgentInstaller } from './adapters/agents/agent-installer.ts';
export { ensureBuiltInImages } from './adapters/agents/built-in-images.ts';
export { AcmeIssuer, type AcmeIssuerOptions } from './adapters/certificates/acme/acme-issuer.ts';
export { createLandscapeIssuer, type LandscapeIssuerOptions } from './adapters/certificates/landscape-issuer.ts';
export {
  defaultDnsPort,
  type EmbeddedDnsOptions,
  EmbeddedDnsServer,
  type EmbeddedDnsZone,
} from './adapters/dns/embedded-dns-server.ts';
export { Rfc2136DnsZone, type Rfc2136Options } from './adapters/dns/rfc2136-zone.ts';
export { Route53DnsZone, type Route53Options } from './adapters/dns/route53-zone.ts';
export { waitForChange } from './adapters/dns/wait-for-change.ts';
export { checkEndpoint } from './adapters/endpoint.ts';
export { EmbeddedMetrics, type EmbeddedMetricsOptions } from './adapters/metrics/embedded-metrics.ts';
export { PrometheusMetrics, type PrometheusOptions } from './adapters/metrics/prometheus-metrics.ts';
export { type ClientRecord, type ClientStore, createMemoryClientStore } from './adapters/sso/client-store.ts';
export {
  EmbeddedIdentityProvider,
  type EmbeddedIdentityProviderDeps,
  type ServiceAccountClaims,
} from './adapters/sso/embedded-identity-provider.ts';
export { KeycloakIdentityProvider } from './adapters/sso/keycloak-identity-provider.ts';
export type { KeycloakOptions } from './adapters/sso/keycloak-session.ts';
export { askTermsOverHttp } from './adapters/terms/http-terms.ts';
export { type FleetExtension, type InstanceWorkerName, instanceWorkers } from './controllers/fleet-extension.ts';
export type { InstanceDraft } from './controllers/instance-draft.ts';
export type { InstanceStep, InstanceStepContext } from './controllers/instance-step.ts';
export { startInstanceWorkers } from './controllers/start-instance-workers.ts';
export type { ProductAdapters, WorkerDeps } from './controllers/worker-deps.ts';
export { ensureFleetNamespace } from './ensure-namespace.ts';
export type { VerifiedBearer, VerifyBearer } from './facade/middleware/bearer.ts';
export { type FleetSurroundings, serveFleet } from './facade/serve-fleet.ts';
export { type Fleet, type FleetControllerOptions, type FleetOptions, openFleet } from './open-fleet.ts';
export { portErrorCodes } from './port-errors.ts';
export type {
  AgentInstaller,
  CertificateIssuer,
  ClientCredentials,
  ClientRequest,
  ClusterProvider,
  DnsChange,
  DnsRecord,
  DnsZone,
  IdentityProvider,
  InstanceCertificate,
  InstantSample,
  MeasuredSample,
  MetricLabels,
  MetricsQuery,
  MetricsRangeQuery,
  MetricsRecorder,
  MetricsSource,
  ProvidedCluster,
  ProvidedState,
  RangeSeries,
} from './ports.ts';
export {
  type ConfiguredProduct,
  createFleetRegistry,
  type FleetRegistry,
  type FleetRegistryOptions,
} from './registry/fleet-registry.ts';
