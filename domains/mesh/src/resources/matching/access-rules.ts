import type { ServiceProtocol } from '../../model/mesh-service.ts';
import type { Dialect, InboundPolicy, InboundRule, ProxyScope } from '../../model/proxy-scope.ts';
import type { Permission, Policy, RbacRules, StringMatcher } from '../proto/messages.ts';
import { exactly, tenantMember } from '../security/principals.ts';
import { permission, requestMatches } from './http-match.ts';

/** A port of the workload, as access rules see it. */
export interface GuardedPort {
  /** Where the workload listens. */
  readonly port: number;
  readonly protocol: ServiceProtocol;
}

/** Who may do something, and why. */
export interface Grant {
  /** The TrafficTarget that says so. */
  readonly source: string;
  readonly callers: readonly StringMatcher[];
  readonly permissions: readonly Permission[];
}

const anything: readonly Permission[] = [{ any: true }];

/** In a permissive mesh everybody of the tenant, and nobody of another, although they share roots. */
const everybody = (tenant: string): Grant => ({
  source: 'permissive',
  callers: [tenantMember(tenant)],
  permissions: anything,
});

const allowsPort = ({ tcpPorts }: InboundRule, port: number): boolean =>
  tcpPorts === 'all' || (tcpPorts?.includes(port) ?? false);

/** The requests that a rule allows on a port of HTTP. */
export const requestsOn = ({ http, httpPorts }: InboundRule, port: number): InboundRule['http'] =>
  httpPorts === undefined || httpPorts.includes(port) ? http : [];

function permissionsOf(rule: InboundRule, port: GuardedPort, dialect: Dialect): readonly Permission[] {
  if (port.protocol === 'tcp') return allowsPort(rule, port.port) ? anything : [];
  return requestMatches(requestsOn(rule, port.port), dialect).map(match => permission(match, dialect));
}

/** What the policy allows on a port. None: nothing is. */
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

/** Allows what is granted and denies the rest, request by request. */
export const requestRules = (grants: readonly Grant[]): RbacRules => ({
  action: 'ALLOW',
  policies: Object.fromEntries(
    grants.map(({ source, callers, permissions }) => [source, policyOf(callers, permissions)]),
  ),
});

/** Lets those connect to whom anything is granted. */
export const connectionRules = (grants: readonly Grant[]): RbacRules =>
  requestRules(grants.map(grant => ({ ...grant, permissions: anything })));
