/**
 * The fleet: instances of a managed product on data-plane clusters.
 *
 * - `ports`: what the fleet needs from the world; `adapters` has an embedded and a real implementation of each.
 */
export {
  defaultDnsPort,
  type EmbeddedDnsOptions,
  EmbeddedDnsServer,
  type EmbeddedDnsZone,
} from './adapters/dns/embedded-dns-server.ts';
export { portErrorCodes } from './port-errors.ts';
export type {
  CertificateIssuer,
  ClientCredentials,
  ClientRequest,
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
  RangeSeries,
} from './ports.ts';
