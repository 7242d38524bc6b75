import type { IncomingMessage } from 'node:http';
import { notFound, SmError, smError } from '../../errors.ts';
import { globalTenant, ownPlatformId } from '../../kinds/index.ts';
import { lastOperationOf } from '../../model/operations/last-operation.ts';
import { enginePaths, isOpen } from '../../model/operations/operation-state.ts';
import type { BrokerRow, PlatformRow, Registry } from '../../model/rows.ts';
import type { PlatformCaller } from '../../ports.ts';
import type { OsbCall } from './osb-call.ts';
import { allowedFor, type OsbRoute, type OsbTarget } from './osb-target.ts';

/** A request whose sender is known. */
export interface AuthenticatedRequest {
  readonly request: IncomingMessage;
  readonly target: OsbTarget;
  readonly caller: PlatformCaller;
  readonly correlationId: string;
}

/** Checks all that can be known without the body. Throws what the platform is answered. */
export function admit(registry: Registry, arrival: AuthenticatedRequest): Omit<OsbCall, 'body'> {
  const { request, target, caller, correlationId } = arrival;
  const { headers, method = '' } = request;
  checkVersion(headers['x-broker-api-version']);
  const route = checkedRoute(target, method);
  const platform = registry.platforms.get(caller.platformId);
  if (platform === undefined) throw smError('Unauthorized', 'the platform is not registered');
  const broker = brokerFor(registry, platform, target.brokerId);
  if (method !== 'GET') checkPlatform(registry, platform, method);
  const acceptsIncomplete = isAcceptingIncomplete(target.query);
  const interpreted = acceptsIncomplete ? target : withoutAcceptsIncomplete(target);
  return { method, target: interpreted, route, broker, platform, caller, headers, correlationId, acceptsIncomplete };
}

/** Any 2.x: newer minor versions only add. What an absent header means is not said in all words, but this is what checkers want. */
function checkVersion(version: string | readonly string[] | undefined): void {
  if (typeof version === 'string' && /^2\.\d{1,4}$/.test(version)) return;
  throw smError('PreconditionFailed', 'the header X-Broker-API-Version is required and must be 2.x');
}

function checkedRoute(target: OsbTarget, method: string): OsbRoute {
  const { route } = target;
  if (route === undefined) throw smError('NotFound', 'there is nothing under this path');
  if (route instanceof SmError) throw route;
  const allowed = allowedFor(target);
  if (allowed.includes(method)) return route;
  throw smError('MethodNotAllowed', `${method} is not allowed here: use ${allowed.join(', ')}`);
}

/** A tenant's broker serves the platforms of the tenant; the own platform works for all. */
function brokerFor(registry: Registry, platform: PlatformRow, id: string): BrokerRow {
  const broker = registry.brokers.get(id);
  const isServed =
    broker !== undefined &&
    (broker.tenant === globalTenant || broker.tenant === platform.tenant || platform.id === ownPlatformId);
  if (!isServed) throw notFound('service broker');
  return broker;
}

function checkPlatform(registry: Registry, platform: PlatformRow, method: string): void {
  if (method === 'DELETE') return;
  if (platform.spec.suspended === true) throw smError('BadRequest', 'platform suspended');
  const last = lastOperationOf(registry, enginePaths.platforms, platform.id);
  if (last === undefined || last.spec.type !== 'delete' || !isOpen(last)) return;
  throw smError('UnprocessableEntity', 'the platform is being deleted with all it has');
}

/** The common cases are seen without taking the query apart. */
function isAcceptingIncomplete(query: string): boolean {
  if (query === '?accepts_incomplete=true') return true;
  if (!query.includes('accepts_incomplete')) return false;
  return new URLSearchParams(query).get('accepts_incomplete') === 'true';
}

/**
 * Only "true" allows an asynchronous response. Some brokers accept other values and would continue in the background
 * although the platform does not poll, so any other value is removed. The rest of the query is unchanged.
 */
function withoutAcceptsIncomplete(target: OsbTarget): OsbTarget {
  const { query } = target;
  if (!query.includes('accepts_incomplete')) return target;
  const rest = query
    .slice(1)
    .split('&')
    .filter(part => !/^accepts_incomplete(=|$)/.test(part));
  return { ...target, query: rest.length === 0 ? '' : `?${rest.join('&')}` };
}
