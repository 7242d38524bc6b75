/**
 * What every process needs, independent of resources.
 *
 * - `config`: one table of options becomes flags, variables, file keys, help and a type.
 * - `log`, `metrics`: logs and Prometheus metrics.
 * - `keys`, `pki`, `crypto`: the landscape's keys, the certificates they sign, the data they encrypt.
 * - `tokens`: verification of tokens: service accounts, OpenID users, the operator.
 * - `net`: address policies.
 * - `process`: one process per data folder, free ports, orderly shutdown.
 * - `build`: version, commit and date of what runs.
 * - `async`: keyed mutex, token bucket, emitter, long work in steps that yield to other requests, abort signals.
 * - `memory`: a bounded cache.
 * - `time`: clocks and identifiers, passed in so that tests control them.
 */
export { Emitter } from './async/emitter.ts';
export { KeyedMutex } from './async/keyed-mutex.ts';
export { finishSteps, Pace, type Steps } from './async/pace.ts';
export { rejectionOf } from './async/rejection-of.ts';
export { type RateLimit, TokenBucket } from './async/token-bucket.ts';
export { untilAborted } from './async/until-aborted.ts';
export { withTimeLimit } from './async/with-time-limit.ts';
export { type BuildInfo, buildVersion, readBuildInfo } from './build/build-info.ts';
export { type ConfigErrorCode, configErrorCodes } from './config/config-errors.ts';
export { type DatabaseUrl, parseDatabaseUrl, type SessionTarget } from './config/database-url.ts';
export { definitions, wrap, wrapCommand } from './config/help-text.ts';
export { type ConfigSources, type LoadedConfig, loadConfig } from './config/load-config.ts';
export type { OidcProviderConfig } from './config/oidc-config.ts';
export {
  type ConfigOf,
  choice,
  integer,
  type Option,
  type OptionSource,
  type OptionTable,
  optionalPort,
  port,
  structured,
  text,
  toggle,
} from './config/option.ts';
export { didYouMean, nearest } from './config/option-names.ts';
export { renderHelp } from './config/render-help.ts';
export {
  type AuditLogTarget,
  auditLogTarget,
  defaultHistoryMinutes,
  loadServerConfig,
  type ServerConfig,
  serverOptions,
} from './config/server-options.ts';
export { readForeignPrivateKey } from './crypto/foreign-private-key.ts';
export { type EncryptionKey, isEncrypted, Keyring, keyIdOfCiphertext } from './crypto/keyring.ts';
export { isFileMissing, writeFileAtomically } from './files/private-files.ts';
export { realPathInside } from './files/real-path-inside.ts';
export type { CertificateIssuer, ServerCertificate } from './keys/certificate-issuer.ts';
export {
  type HostCertificates,
  IssuedHostCertificates,
  type IssuedHostCertificatesOptions,
} from './keys/host-certificates.ts';
export type { KeyFiles, StoredEncryptionKey } from './keys/key-set.ts';
export {
  addEncryptionKey,
  importKeys,
  type LandscapeKeys,
  listEncryptionKeys,
  openLandscapeKeys,
  removeEncryptionKey,
  useNewestEncryptionKey,
} from './keys/landscape-keys.ts';
export {
  type HostCertificateStore,
  OrderedHostCertificates,
  type OrderedHostCertificatesOptions,
  type StoredCertificate,
} from './keys/ordered-host-certificates.ts';
export {
  CertificateRenewal,
  certificatePeriod,
  isRenewalDue,
  issueServerCertificate,
  type MachineNames,
  type RenewalOptions,
  type ServerNames,
  serverNames,
  thisMachine,
} from './keys/server-certificate.ts';
export {
  createLogger,
  type LogFields,
  type LogFormat,
  type Logger,
  type LoggerOptions,
  type LogLevel,
  type LogSettings,
  logFormats,
  logLevels,
  silentLogger,
} from './log/logger.ts';
export { isSecretKey, maskSecrets, redact } from './log/redact.ts';
export { LruCache } from './memory/lru-cache.ts';
export { type Labels, metricsContentType, sampleLine } from './metrics/metric-text.ts';
export {
  type Counter,
  type Family,
  type Gauge,
  type Histogram,
  type HistogramOptions,
  type MetricOptions,
  MetricsRegistry,
} from './metrics/metrics.ts';
export {
  type AddressPolicy,
  type AddressPolicyOptions,
  createAddressPolicy,
  isAddressEntry,
  literalAddress,
} from './net/address-policy.ts';
export { assertCallable, checkedLookup } from './net/checked-lookup.ts';
export { isLoopbackHost } from './net/loopback.ts';
export {
  type AuthorityRequest,
  type CertificateAuthority,
  createCertificateAuthority,
  crossCertify,
  loadCertificateAuthority,
} from './pki/certificate-authority.ts';
export type { AlternativeNames, CertificateUsage } from './pki/certificate-extensions.ts';
export { type CertificateSigningRequest, createSigningRequest } from './pki/certificate-signing-request.ts';
export {
  bitString,
  explicitContext,
  objectIdentifier,
  octetString,
  sequence,
  setOf,
  tags,
  unsignedInteger,
} from './pki/der.ts';
export { readElements } from './pki/der-reader.ts';
export {
  type CertificateRequest,
  type IssuedCertificate,
  issueCertificate,
  issueCertificateAsync,
  type SignedCertificate,
  signCertificate,
} from './pki/issue-certificate.ts';
export { type CurrentAuthority, constantAuthority, type IssuingAuthority } from './pki/issuing-authority.ts';
export { type Cause, currentCause, withCause } from './process/cause.ts';
export { type FolderLock, lockFolder } from './process/folder-lock.ts';
export { checkPortFree, checkPortsFree, listenError, type WantedPort } from './process/free-ports.ts';
export { claimIdentity, type ProcessIdentity } from './process/process-identity.ts';
export { type Program, runProgram } from './process/run-program.ts';
export { Shutdown, type ShutdownOptions } from './process/shutdown.ts';
export { threadEnvironment } from './process/thread-environment.ts';
export { type Clock, ManualClock, systemClock } from './time/clock.ts';
export { createCountingIds, type IdSource, nameSuffixAlphabet, randomIds } from './time/ids.ts';
export { type AdminToken, adminTokenFile, openAdminToken } from './tokens/admin-token.ts';
export { type FleetTokenRequest, FleetTokens, fleetAudience } from './tokens/fleet-tokens.ts';
export { type JsonClaims, type UnverifiedClaims, unverifiedClaims } from './tokens/jwt.ts';
export {
  type ClaimsVerifier,
  createClaimsVerifier,
  createOidcVerifier,
  type OidcOptions,
  type OidcVerifier,
} from './tokens/oidc.ts';
export type { OidcClaimRules, OidcIdentity } from './tokens/oidc-claims.ts';
export type { BoundObject, ServiceAccountIdentity } from './tokens/service-account-claims.ts';
export {
  type IssuedToken,
  ServiceAccountTokens,
  type ServiceAccountTokensOptions,
  type TokenRequest,
  type VerifyOptions,
} from './tokens/service-account-tokens.ts';
export { SessionTokens, type SessionUser } from './tokens/session-tokens.ts';
export { type TokenErrorCode, tokenErrorCodes } from './tokens/token-errors.ts';
export { openTracing, type Tracing, type TracingOptions } from './tracing/open-tracing.ts';
export { type EndedSpan, RecordingTracer } from './tracing/recording-tracer.ts';
export { formatTraceparent, parseTraceparent, type SpanContext } from './tracing/span-context.ts';
export {
  currentSpan,
  currentTraceparent,
  type Span,
  type SpanAttributes,
  type SpanKind,
  type SpanOptions,
  silentTracer,
  type Tracer,
  traced,
  withSpan,
} from './tracing/tracer.ts';
