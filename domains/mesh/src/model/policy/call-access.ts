import type { GraphCall, PolicyName } from '../../kinds/rest-documents.ts';
import type { MeshService, ServicePort } from '../mesh-service.ts';
import { serviceKey } from '../service-name.ts';
import type { HttpMatch, ServiceAccountName, TrafficTarget } from '../topology.ts';
import { accountsBehind, accountsText, grantsBetween, type PolicyDeps } from './policy-deps.ts';

/** Whether an account may call a service, for whatever request. */
export type CallAccess = Pick<GraphCall, 'access' | 'policies' | 'why'>;

/** The access of an account to a service, without a request: what a picture of the mesh shows. */
export function callAccess(source: ServiceAccountName, service: MeshService, deps: PolicyDeps): CallAccess {
  if (deps.topology.isPermissive) return { access: 'all', policies: [], why: 'the mesh is permissive' };
  const from = serviceKey(source);
  const name = serviceKey(service.service);
  const grants = grantsBetween(source, service.service, deps);
  if (grants.length > 0) {
    const policies = grants.map(grant => ({ kind: 'ServiceBinding', name: grant.source }) as const);
    return { access: 'all', policies, why: `${namesOf(policies)} lets ${from} call ${name}` };
  }
  if (service.isUnproxied)
    return { access: 'none', policies: [], why: `no ServiceBinding gives ${from} access to ${name}` };
  const behind = accountsBehind(service.service, deps);
  const accounts = new Set(behind.map(serviceKey));
  // By the source: a target may name thousands of others.
  const targets = deps.topology.targetsFrom(source).filter(({ destination }) => accounts.has(serviceKey(destination)));
  const policies = [...new Set(targets.map(target => target.source))].map(
    target => ({ kind: 'TrafficTarget', name: target }) as const,
  );
  if (targets.length === 0) {
    const why =
      behind.length === 0
        ? `service ${name} has no endpoint whose service account is known`
        : `no TrafficTarget lets ${from} call ${accountsText(behind, name)}`;
    return { access: 'none', policies, why };
  }
  const open = service.ports.map(port => targets.map(target => opennessOf(target, port)));
  if (open.every(each => each.includes('all')))
    return { access: 'all', policies, why: `${namesOf(policies)} lets ${from} call ${name}` };
  if (open.every(each => each.every(openness => openness === 'none')))
    return { access: 'none', policies, why: `${namesOf(policies)} names ${from}, but allows no call of ${name}` };
  return { access: 'some', policies, why: `${namesOf(policies)} lets ${from} make some calls of ${name}` };
}

const namesOf = (policies: readonly PolicyName[]): string =>
  policies.map(({ kind, name }) => `${kind} ${name}`).join(' and ');

function opennessOf(
  { http, httpPorts, tcpPorts }: TrafficTarget,
  { port, protocol }: ServicePort,
): CallAccess['access'] {
  if (protocol === 'tcp') return tcpPorts === 'all' || tcpPorts?.includes(port) ? 'all' : 'none';
  if (http.length === 0 || (httpPorts !== undefined && !httpPorts.includes(port))) return 'none';
  return http.some(isUnconditional) ? 'all' : 'some';
}

const everyPath: ReadonlySet<string | undefined> = new Set([undefined, '', '.*', '/.*', '/']);

const isUnconditional = ({ methods, pathRegex, headers }: HttpMatch): boolean =>
  methods.length === 0 && everyPath.has(pathRegex) && Object.keys(headers).length === 0;
