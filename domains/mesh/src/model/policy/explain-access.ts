import type { AccessExplanation, NearMiss } from '../../kinds/rest-documents.ts';
import type { ServicePort } from '../mesh-service.ts';
import { type ServiceName, serviceKey } from '../service-name.ts';
import type { ServiceAccountName, TrafficTarget } from '../topology.ts';
import { type DescribedRequest, mismatchOf } from './match-request.ts';
import { accountsBehind, accountsText, grantsBetween, type PolicyDeps, targetsBetween } from './policy-deps.ts';

/** A call to one service. */
export interface DescribedAccess extends DescribedRequest {
  readonly source: ServiceAccountName;
  readonly service: ServiceName;
  readonly port: ServicePort;
}

/** Bounds the response. */
export const maxNearMisses = 50;

/** Explains which policy allows a call to a service, or what is missing. */
export function explainAccess(call: DescribedAccess, deps: PolicyDeps): AccessExplanation {
  const { source, service } = call;
  const behind = accountsBehind(service, deps);
  const accounts = behind.map(serviceKey);
  const name = serviceKey(service);
  const explanation = (
    isAllowed: boolean,
    message: string,
    more: Partial<AccessExplanation> = {},
  ): AccessExplanation => ({
    isAllowed,
    message,
    accounts,
    nearMisses: [],
    ...more,
  });
  if (deps.topology.isPermissive) return explanation(true, `the mesh is permissive: all services may call ${name}`);
  const [grant] = grantsBetween(source, service, deps);
  if (grant !== undefined) {
    const where = grant.cluster === undefined ? '' : `, to the account on cluster ${grant.cluster}`;
    return explanation(true, `ServiceBinding ${grant.source} allows it${where}`, {
      allowedBy: { binding: grant.source },
    });
  }
  if (deps.services.getService(service)?.isUnproxied)
    return explanation(false, `no ServiceBinding gives ${serviceKey(source)} access to the service instance ${name}`);
  if (behind.length === 0) return explanation(false, `service ${name} has no endpoint whose service account is known`);
  const targets = behind.flatMap(account => targetsBetween(source, account, deps));
  if (targets.length === 0) {
    return explanation(false, `no TrafficTarget lets ${serviceKey(source)} call ${accountsText(behind, name)}`);
  }
  const nearMisses: NearMiss[] = [];
  for (const target of targets) {
    const found = judge(target, call);
    if ('misses' in found) nearMisses.push(...found.misses.slice(0, maxNearMisses - nearMisses.length));
    else
      return explanation(true, `TrafficTarget ${target.source} allows it`, {
        allowedBy: { target: target.source, ...found },
      });
  }
  const names = [...new Set(targets.map(target => target.source))].join(', ');
  return explanation(false, `TrafficTarget ${names} lets ${serviceKey(source)} call ${name}, but not for this`, {
    nearMisses,
  });
}

type Judgement = { readonly match?: string } | { readonly misses: readonly NearMiss[] };

function judge(target: TrafficTarget, call: DescribedAccess): Judgement {
  return call.port.protocol === 'tcp' ? judgeConnection(target, call) : judgeRequest(target, call);
}

function judgeConnection({ source, tcpPorts }: TrafficTarget, { port: { port } }: DescribedAccess): Judgement {
  if (tcpPorts === 'all' || tcpPorts?.includes(port)) return {};
  const why =
    tcpPorts === undefined
      ? `port ${port} is TCP, and the target has no TCPRoute that exists`
      : `the port must be ${tcpPorts.join(' or ')}`;
  return { misses: [{ target: source, why }] };
}

function judgeRequest({ source, http, httpPorts }: TrafficTarget, call: DescribedAccess): Judgement {
  const { port } = call.port;
  if (httpPorts !== undefined && !httpPorts.includes(port)) {
    return { misses: [{ target: source, why: `the port must be ${httpPorts.join(' or ')}` }] };
  }
  if (http.length === 0) {
    return {
      misses: [{ target: source, why: `port ${port} is HTTP, and the target has no HTTPRouteGroup with matches` }],
    };
  }
  const misses: NearMiss[] = [];
  for (const match of http) {
    const why = mismatchOf(match, call);
    if (why === undefined) return { match: match.name };
    misses.push({ target: source, match: match.name, why });
  }
  return { misses };
}
