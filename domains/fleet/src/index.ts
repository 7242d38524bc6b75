/**
 * The fleet: instances of a managed product on data-plane clusters.
 *
 * - `ports`: what the fleet needs from the world.
 */
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
