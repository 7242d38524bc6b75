import { formatAge } from '@chandlery/api';
import type { FleetInstance, FleetInstanceRecord } from '@chandlery/fleet/kinds';
import type { Listed } from '../output/print-results.ts';
import { displayName } from './fleet-objects.ts';
import { renderConditions, renderPairs } from './render-parts.ts';

/** Columns of the list of instances. */
export const listedInstances: Listed<FleetInstance> = {
  noun: 'instance',
  document: 'List',
  columns: [
    ['name', displayName],
    ['id', ({ metadata }) => metadata.name ?? '', 'wide'],
    ['product', ({ spec }) => spec.product],
    ['org', ({ spec }) => spec.organisation],
    ['owner', ({ spec }) => spec.owner],
    ['state', ({ status }) => status?.state ?? ''],
    ['cluster', ({ status }) => status?.clusterId ?? ''],
    ['age', ({ metadata }, now) => formatAge(metadata.creationTimestamp, now)],
  ],
  whenEmpty: 'Order one: npx chandlery fleet instance create NAME --org ORG --user USER',
};

/** Columns of the list of deleted instances. */
export const listedRecords: Listed<FleetInstanceRecord> = {
  noun: 'deleted instance',
  document: 'List',
  columns: [
    ['name', ({ spec }) => spec.name],
    ['id', ({ metadata }) => metadata.name ?? '', 'wide'],
    ['product', ({ spec }) => spec.product],
    ['org', ({ spec }) => spec.organisation],
    ['owner', ({ spec }) => spec.owner],
    ['deleted', ({ spec }, now) => `${formatAge(spec.deletedAt, now)} ago`],
    ['kept until', ({ spec }) => spec.removeAt],
  ],
};

/** Everything worth reading about an instance. */
export function renderInstance(instance: FleetInstance): string {
  const { metadata, spec, status = {} } = instance;
  const pairs = renderPairs([
    ['Name', displayName(instance)],
    ['ID', metadata.name],
    ['Product', spec.product],
    ['Organisation', spec.organisation],
    ['Owner', spec.owner],
    ['State', status.state === undefined ? 'not admitted yet' : withSince(status.state, status.stateSince)],
    ['Reason', status.failedReason],
    ['Plan', status.instanceType === undefined ? spec.plan : `${status.instanceType}.${status.sizeId ?? ''}`],
    ['Region', spec.region === undefined ? undefined : `${spec.region} of ${spec.cloudProvider ?? ''}`],
    ['Cluster', status.clusterId],
    ['Namespace', status.namespace],
    ['Host', status.host],
    ['URL', status.adminUrl],
    ['Routes', (status.routes ?? []).map(({ domain, router }) => `${domain} -> ${router}`).join(', ')],
    ['Version', versionText(status.actual, status.desired)],
    ['Expires', status.expiresAt],
    ['Created', metadata.creationTimestamp],
    ['Deletion', metadata.deletionTimestamp && `asked for at ${metadata.deletionTimestamp}`],
  ]);
  return `${pairs}${renderConditions(status.conditions, new Date())}`;
}

const withSince = (state: string, since: string | undefined): string =>
  since === undefined ? state : `${state} for ${formatAge(since, new Date())}`;

type Versions = NonNullable<FleetInstance['status']>['actual'];

function versionText(actual: Versions, desired: Versions): string {
  const texts = (['product', 'operator'] as const).map(part => {
    const [is, should] = [actual?.[part], desired?.[part]];
    if (is === undefined && should === undefined) return '';
    const label = part === 'operator' ? 'operator ' : '';
    return is === should || should === undefined ? `${label}${is ?? ''}` : `${label}${is ?? 'none yet'} -> ${should}`;
  });
  return texts.filter(text => text !== '').join(', ');
}
