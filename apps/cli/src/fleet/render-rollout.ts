import { formatAge } from '@chandlery/api';
import type { FleetRollout } from '@chandlery/fleet/kinds';
import type { Listed } from '../output/print-results.ts';
import { formatTable } from '../output/table.ts';
import { renderConditions, renderPairs } from './render-parts.ts';

/** The phase of a rollout. */
export const phaseOf = ({ status }: FleetRollout): string => status?.rolloutPhase ?? 'Pending';

/** Columns of the list of rollouts. */
export const listedRollouts: Listed<FleetRollout> = {
  noun: 'rollout',
  document: 'List',
  columns: [
    ['name', ({ metadata }) => metadata.name ?? ''],
    ['product', ({ spec }) => spec.product],
    ['version', targetText],
    ['phase', phaseOf],
    ['upgraded', progressText],
    ['failed', ({ status }) => String(status?.failed ?? 0)],
    ['age', ({ metadata }, now) => formatAge(metadata.creationTimestamp, now)],
  ],
  whenEmpty: 'Start one: npx chandlery fleet rollout start NAME --version VERSION',
};

/** Everything worth reading about a rollout. */
export function renderRollout(rollout: FleetRollout): string {
  const { metadata, spec, status = {} } = rollout;
  const pairs = renderPairs([
    ['Rollout', metadata.name],
    ['Product', spec.product],
    ['Version', targetText(rollout)],
    ['Phase', phaseOf(rollout)],
    ['Message', status.message],
    ['Wave', status.wave === undefined ? undefined : `${status.wave + 1}`],
    ['Upgraded', progressText(rollout)],
    ['Failed', String(status.failed ?? 0)],
    ['Clusters', spec.clusters?.join(', ') ?? 'all'],
    ['Organisations', spec.organisations?.join(', ') ?? 'all'],
  ]);
  return `${pairs}${waveTable(status.instances)}${renderConditions(status.conditions, new Date())}`;
}

function targetText({ spec }: FleetRollout): string {
  const operator = spec.operatorVersion === undefined ? '' : `operator ${spec.operatorVersion}`;
  return [spec.productVersion ?? '', operator].filter(text => text !== '').join(', ');
}

function progressText({ status }: FleetRollout): string {
  const upgraded = status?.upgraded ?? 0;
  return status?.total === undefined ? `${upgraded}` : `${upgraded} of ${status.total}`;
}

/** What the status says of an instance of the wave in progress. */
interface WaveInstance {
  readonly state?: string;
  readonly clusterId?: string;
  readonly reason?: string;
}

function waveTable(instances: unknown): string {
  const entries = Object.entries((instances ?? {}) as Readonly<Record<string, WaveInstance>>);
  if (entries.length === 0) return '';
  const rows = entries.map(([id, { state = '', clusterId = '', reason = '' }]) => [id, state, clusterId, reason]);
  return `\n${formatTable(['instance', 'state', 'cluster', 'reason'], rows)}`;
}
