import type { KubeObject } from '@chandlery/api';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { kindIdOf } from '../cluster/kind-resolver.ts';
import { firstPortName, readyEndpoints } from '../cluster/ready-endpoints.ts';
import type { ReportedEndpoint, ReportedRoute } from '../model/instance-status.ts';
import { agentNames } from '../model/names.ts';
import { isWorkload, type RolloutState, rolloutState } from '../model/rollout-state.ts';

/** How far the workloads of an instance are. What was applied just now counts, where the watch does not show it yet. */
export function observeWorkloads(
  view: Pick<ClusterView, 'object'>,
  applied: readonly KubeObject[],
): readonly RolloutState[] {
  return applied.filter(isWorkload).map(object => {
    const { namespace = '', name = '', generation = 0 } = object.metadata;
    const seen = view.object(kindIdOf(object), namespace, name);
    const isNewer = seen !== undefined && (seen.metadata.generation ?? 0) >= generation;
    return rolloutState(isNewer ? seen : object);
  });
}

/** Where instances are reached from outside. */
export interface RouterAddress {
  /** What DNS names of instances lead to. */
  readonly host: string;
  /** Undefined: the standard port of the scheme. */
  readonly port: number | undefined;
}

/** The routes of an instance: its Services with a route. */
export const routesOf = (services: readonly KubeObject[], router: RouterAddress): readonly ReportedRoute[] =>
  services.filter(hasRoute).map(service => ({
    name: service.metadata.name ?? '',
    prefix: prefixOf(service),
    router: router.host,
  }));

/** The address of an instance: that of the Service whose route has no prefix. */
export function addressOf(
  services: readonly KubeObject[],
  { host, router }: { readonly host: string; readonly router: RouterAddress },
): string | undefined {
  const main = services.find(service => hasRoute(service) && prefixOf(service) === '');
  if (main === undefined) return undefined;
  const scheme = main.metadata.annotations?.[agentNames.schemeAnnotation] ?? 'https';
  return `${scheme}://${host}${router.port === undefined ? '' : `:${router.port}`}/`;
}

/** Where an instance takes connections: the ready addresses of its Services with a route, at their first ports. */
export const endpointsOf = (
  view: Pick<ClusterView, 'objects'>,
  services: readonly KubeObject[],
): readonly ReportedEndpoint[] =>
  services.filter(hasRoute).flatMap(service => {
    const name = firstPortName(service);
    return readyEndpoints(view, service, name).map(endpoint => ({ ...endpoint, name }));
  });

/** The DNS name of a Service with a route. */
export const domainOf = (service: KubeObject, host: string): string =>
  prefixOf(service) === '' ? host : `${prefixOf(service)}-${host}`;

export const hasRoute = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[agentNames.routeAnnotation] !== undefined;

const prefixOf = ({ metadata }: KubeObject): string => metadata.annotations?.[agentNames.routeAnnotation] ?? '';
