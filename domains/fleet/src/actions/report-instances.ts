import { toError } from '@chandlery/api';
import { eventOfVerdict, findReady, type Verdict, verdictOf, versionsEvent } from '../model/agent-report.ts';
import { readRoutes } from '../model/hosts.ts';
import type { InstanceEvent, InstanceRoutes } from '../model/instance-events.ts';
import type { ClusterRow, ConfiguredProduct, InstanceRow } from '../registry/fleet-registry.ts';
import type { ActionDeps } from './action-deps.ts';
import { changeInstance } from './change-instance.ts';
import type { InstanceReport } from './fleet-actions.ts';
import { holdsWithoutCluster } from './place-on-cluster.ts';

/** Reports are written in so many commits at a time. */
const maxConcurrency = 32;

/** Whose report it is. */
interface ReportContext {
  readonly product: ConfiguredProduct;
  readonly cluster: ClusterRow;
}

/**
 * Takes over what an agent says of instances. Each is decided on by itself: what cannot be taken over is logged, and the
 * others are not affected. A report that changes nothing writes nothing.
 */
export async function reportInstances(
  deps: ActionDeps,
  context: ReportContext,
  reports: ReadonlyMap<string, InstanceReport>,
): Promise<void> {
  const waiting = reports.entries();
  const work = async (): Promise<void> => {
    for (const [id, report] of waiting) await reportSafely(deps, context, { id, report });
  };
  await Promise.all(Array.from({ length: Math.min(maxConcurrency, reports.size) }, work));
}

interface NamedReport {
  readonly id: string;
  readonly report: InstanceReport;
}

async function reportSafely(deps: ActionDeps, context: ReportContext, { id, report }: NamedReport): Promise<void> {
  const skip = (reason: string): void => {
    const { clusterId } = context.cluster.spec;
    deps.logger.warn('a report of an instance was skipped', { instance: id, cluster: clusterId, reason });
  };
  try {
    if (deps.registry.instances.get(id) === undefined) return skip('there is no such instance');
    await changeInstance(deps, id, row => {
      const { problem, events } = readReport(deps, context, { row, report });
      if (problem !== undefined) skip(problem);
      return events;
    });
  } catch (error) {
    skip(toError(error).message);
  }
}

function readReport(
  { registry }: ActionDeps,
  { product, cluster }: ReportContext,
  { row, report }: { readonly row: InstanceRow; readonly report: InstanceReport },
): { readonly events: readonly InstanceEvent[]; readonly problem?: string } {
  const { spec, status } = row;
  if (spec.product !== product.row.id || status.clusterId !== cluster.spec.clusterId)
    return { events: [], problem: 'it is not on this cluster' };
  const said = verdictOf(report.conditions);
  const read = verdictsWithRoutes.includes(said) ? routesOf(row, cluster, report) : { routes: undefined };
  if ('problem' in read) return { events: [{ type: 'agent-routes-rejected', problem: read.problem }], ...read };
  const verdict = eventOfVerdict(said, {
    routes: read.routes,
    adminUrl: report.adminUrl || undefined,
    message: findReady(report.conditions)?.message ?? '',
    newPlacementId: () => registry.newFleetId(),
    keptHolds: holdsWithoutCluster(status.holds),
  });
  const versions = versionsEvent(status, report.versions, {
    conditions: report.conditions,
    kind: product.row.spec.kind,
  });
  const { endpoints } = report;
  const reached: readonly InstanceEvent[] = endpoints === undefined ? [] : [{ type: 'agent-endpoints', endpoints }];
  return { events: [...(verdict === undefined ? [] : [verdict]), versions, ...reached] };
}

/** Verdicts that store routes. The others count whatever the routes are: an error, and above all `Deleted`. */
const verdictsWithRoutes: readonly Verdict[] = ['ready', 'installing'];

/** Routes are read only while they are not stored, as they are stored once. */
function routesOf(
  { status }: InstanceRow,
  { spec, status: clusterStatus }: ClusterRow,
  { routes }: InstanceReport,
): { readonly routes: InstanceRoutes | undefined } | { readonly problem: string } {
  if (routes === undefined || status.routes !== undefined || status.host === undefined) return { routes: undefined };
  return readRoutes(routes, { host: status.host, clusterDns: spec.clusterDns ?? clusterStatus.clusterDns ?? '' });
}
