import type { ServiceProtocol } from '../../model/mesh-service.ts';
import type { Dialect, InboundPolicy, InboundRule, ProxyScope } from '../../model/proxy-scope.ts';
import type { Permission, Policy, RbacRules, StringMatcher } from '../proto/messages.ts';
import { exactly, tenantMember } from '../security/principals.ts';
import { permission, requestMatches } from './http-match.ts';

/** A port of the workload, for access rules. */
export interface GuardedPort {
  /** Target port of the workload. */
  readonly port: number;
  readonly protocol: ServiceProtocol;
}

/** Permissions of callers, and their source. */
export interface Grant {
  /** The TrafficTarget. */
  readonly source: string;
  readonly callers: readonly StringMatcher[];
  readonly permissions: readonly Permission[];
}

const anything: readonly Permission[] = [{ any: true }];

/** In a permissive mesh: all accounts of the tenant, but none of another tenant, although they share roots. */
const everybody = (tenant: string): Grant => ({
  source: 'permissive',
  callers: [tenantMember(tenant)],
  permissions: anything,
});

const allowsPort = ({ tcpPorts }: InboundRule, port: number): boolean =>
  tcpPorts === 'all' || (tcpPorts?.includes(port) ?? false);

/** The requests that a rule allows on an HTTP port. */
export const requestsOn = ({ http, httpPorts }: InboundRule, port: number): InboundRule['http'] =>
  httpPorts === undefined || httpPorts.includes(port) ? http : [];

function permissionsOf(rule: InboundRule, port: GuardedPort, dialect: Dialect): readonly Permission[] {
  if (port.protocol === 'tcp') return allowsPort(rule, port.port) ? anything : [];
  return requestMatches(requestsOn(rule, port.port), dialect).map(match => permission(match, dialect));
}

/** The grants of a policy on a port. Empty: everything is denied. */
export function grantsFor(policy: InboundPolicy, port: GuardedPort, scope: ProxyScope): Grant[] {
  if (scope.isPermissive) return [everybody(scope.identity.tenant)];
  return policy.rules
    .map(rule => ({
      source: rule.source,
      callers: rule.principals.map(exactly),
      permissions: permissionsOf(rule, port, scope.dialect),
    }))
    .filter(({ permissions }) => permissions.length > 0)
    .toSorted((one, other) => (one.source < other.source ? -1 : 1));
}

const policyOf = (callers: readonly StringMatcher[], permissions: readonly Permission[]): Policy => ({
  permissions: [...permissions],
  principals: callers.map(principal_name => ({ authenticated: { principal_name } })),
});

/** Allows granted requests and denies all others. */
export const requestRules = (grants: readonly Grant[]): RbacRules => ({
  action: 'ALLOW',
  policies: Object.fromEntries(
    grants.map(({ source, callers, permissions }) => [source, policyOf(callers, permissions)]),
  ),
});

/** Allows connections of callers with any grant. */
export const connectionRules = (grants: readonly Grant[]): RbacRules =>
  requestRules(grants.map(grant => ({ ...grant, permissions: anything })));
