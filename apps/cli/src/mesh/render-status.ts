import { formatAge } from '@chandlery/api';
import type { ProxyStream, ProxyType, SyncState } from '@chandlery/mesh/kinds';
import { align, formatTable } from '../output/table.ts';

/** The types by the names of proxies' own tools, in the order of columns. */
const columns = [
  ['cluster', 'CDS'],
  ['endpoints', 'EDS'],
  ['listener', 'LDS'],
  ['route', 'RDS'],
  ['secret', 'SDS'],
] as const;

/** The worst first. */
const states: readonly SyncState[] = ['ERROR', 'STALE', 'NOT_SENT', 'SYNCED'];
const badnessOf = ({ state }: ProxyType): number => states.length - states.indexOf(state);

/** A proxy with all of its streams. */
interface ProxyRow {
  readonly stream: ProxyStream;
  readonly types: readonly ProxyType[];
}

/** Renders what every proxy was sent, has acknowledged and rejected: problems first. */
export function renderStatus(streams: readonly ProxyStream[], now: Date): string {
  const rows = rowsOf(streams);
  const troubles = rows.flatMap(row => troublesOf(row, now));
  const table = formatTable(
    ['node', 'account', 'cluster', 'dialect', ...columns.map(([, title]) => title)],
    [...rows.map(cellsOf)],
  );
  return troubles.length === 0 ? table : `Trouble:\n${align(troubles).replace(/^/gm, '  ').trimEnd()}\n\n${table}`;
}

function rowsOf(streams: readonly ProxyStream[]): ProxyRow[] {
  const byProxy = Map.groupBy(streams, ({ nodeId, identity }) => `${nodeId} ${identity}`);
  const rows = [...byProxy.values()].flatMap(members => {
    const [stream] = members;
    return stream === undefined ? [] : [{ stream, types: members.flatMap(({ types }) => types) }];
  });
  const badness = ({ types }: ProxyRow): number => Math.max(0, ...types.map(badnessOf));
  return rows.sort((a, b) => badness(b) - badness(a) || (a.stream.nodeId < b.stream.nodeId ? -1 : 1));
}

const cellsOf = ({ stream, types }: ProxyRow): string[] => [
  stream.nodeId,
  `${stream.namespace}/${stream.serviceAccount}`,
  stream.cluster,
  stream.dialect,
  ...columns.map(([type]) => cellOf(types.filter(each => each.type === type))),
];

/** Of several streams for one type, the worst state. */
function cellOf(types: readonly ProxyType[]): string {
  const [worst] = types.toSorted((a, b) => badnessOf(b) - badnessOf(a));
  if (worst === undefined) return '-';
  const { state, counts } = worst;
  return state === 'NOT_SENT' ? state : `${state} ${counts.acked}/${counts.sent}`;
}

function troublesOf({ stream, types }: ProxyRow, now: Date): [node: string, what: string][] {
  return types.flatMap(type => {
    const what = troubleOf(type, now);
    return what === undefined ? [] : [[stream.nodeId, what] as [string, string]];
  });
}

function troubleOf({ type, state, error, sentAt }: ProxyType, now: Date): string | undefined {
  const title = columns.find(([name]) => name === type)?.[1] ?? type;
  if (state === 'STALE') return `${title}: no answer to what was sent ${formatAge(sentAt, now)} ago`;
  if (state !== 'ERROR') return undefined;
  const said = error?.message.trim().replace(/\s*\n\s*/g, '; ') || 'it did not say why';
  return `${title}: refused ${formatAge(error?.at, now)} ago: ${said}`;
}
