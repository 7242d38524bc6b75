/**
 * The HTTPS listener that lenses plug into.
 *
 * `createHttpHost` creates the one host of the process; a lens adds routes to its `app`, states with `renderErrorsUnder` how
 * its errors look, and turns replies into streams with `openStream`. `handleUnder` and `upgradeUnder` are the ways around
 * the framework, for frequent requests and for WebSockets. `credentialsOfRequest` reads the credentials, `AuditLog`
 * records requests. Once a client is authenticated, `identify` sets whose budgets the request counts against, and
 * `readBody` reads its body. `addVirtualHost` serves host names of others, which no route sees.
 */

export type { FastifyReply as HttpReply, FastifyRequest as HttpRequest } from 'fastify';
export { type AuditEntry, AuditLog, type AuditLogOptions, type AuditTarget } from './audit-log.ts';
export type { AuditPage, AuditQuery, PlacedAuditEntry } from './audit-reader.ts';
export { readRequestBody } from './bodies/read-body.ts';
export type { CommonHeaders } from './common-headers.ts';
export {
  type ClientCertificate,
  credentialsOfRequest,
  parseAuthorization,
  type RequestCredentials,
} from './credentials-of-request.ts';
export { type ErrorRenderer, type RenderedError, renderJsonError } from './error-renderer.ts';
export type { EventStream, EventStreamOptions, StreamEnd } from './event-stream.ts';
export { formatCheck, type Readiness, type ReadinessCheck } from './health-routes.ts';
export { httpErrorCodes, httpStatusOf } from './http-errors.ts';
export { createHttpHost, type HttpHost, type HttpHostOptions, type ListenOptions } from './http-host.ts';
export { defaultLimits, type HttpLimits } from './limits.ts';
export { acceptedCiphers, type TlsMaterial } from './listener.ts';
export { type HttpLogger, silentLogger } from './logger.ts';
export type { RawHandler, RawRouteOptions } from './raw-routes.ts';
export type { CompletedRequest, HttpMetrics } from './request-metrics.ts';
export { auditOfRequest, auditVerbOf, type RestAudit } from './rest-audit.ts';
export type { RouteDocument } from './route-document.ts';
export { allowedMethods, type PathMatch, RouteTable, routeOfMethod } from './route-table.ts';
export type { UpgradeHandler } from './upgrades.ts';
export { hostNameOf, type VirtualHost } from './virtual-hosts.ts';
