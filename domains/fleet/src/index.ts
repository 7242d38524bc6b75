/**
 * The fleet: instances of a managed product on data-plane clusters.
 *
 * - `openFleet`: registry, use cases, REST APIs and controllers of all products.
 * - `FleetExtension`: steps that a product adds to the workers.
 * - The rest is for those who put the parts together themselves: agents, benchmarks, tests with real peers.
 */
export { configure } from './actions/configure.ts';
export { createLifecycleActions } from './actions/lifecycle-actions.ts';
export { createOrderActions } from './actions/order-actions.ts';
export { createAgentInstaller } from './adapters/agents/agent-installer.ts';
export { ensureBuiltInImages } from './adapters/agents/built-in-images.ts';
export { AcmeIssuer } from './adapters/certificates/acme/acme-issuer.ts';
export { openAcmeIssuer, readAcmeSettings } from './adapters/certificates/open-acme-issuer.ts';
export { EmbeddedDnsServer } from './adapters/dns/embedded-dns-server.ts';
export type { EmbeddedDnsPort } from './adapters/dns/embedded-zones.ts';
export { sealedClientSecretOf } from './adapters/sso/resource-client-store.ts';
export { askTermsOverHttp } from './adapters/terms/http-terms.ts';
export type { FleetExtension } from './controllers/fleet-extension.ts';
export type { InstanceStep } from './controllers/instance-step.ts';
export { startInstanceWorkers } from './controllers/start-instance-workers.ts';
export { ensureFleetNamespace } from './ensure-namespace.ts';
export type { LandscapeMember, VerifiedBearer, VerifyBearer } from './facade/middleware/bearer.ts';
export { type Fleet, type FleetOptions, openFleet } from './open-fleet.ts';
export type { DnsZone, MeasuredSample } from './ports.ts';
export { createFleetRegistry, type FleetRegistry } from './registry/fleet-registry.ts';
