import { ChandleryError, isError } from '@chandlery/api';
import { buildVersion } from '@chandlery/platform';
import { formatOf } from '../args/global-flags.ts';
import type { AuthorityDocument } from '../authority/authority-document.ts';
import type { Command, CommandContext } from '../command.ts';
import { formatBytes } from '../output/byte-progress.ts';
import { type Format, formatValue } from '../output/print-object.ts';
import { exitCodes } from '../output/report-error.ts';
import { formatPairs, formatTable, statePaint } from '../output/table.ts';
import { reencryptionText } from '../store/keys-status-command.ts';
import { contextConnectionOf, localDataDirOf } from './connect.ts';
import { type DataFolder, diskCheck, readDataFolder } from './data-folder-status.ts';
import type { Counted, DomainCount } from './domain-counts.ts';
import { type Check, type LandscapeStatus, readStatus } from './landscape-status.ts';

export const statusCommand: Command = {
  name: 'status',
  summary: 'Show whether the landscape runs, its health, and what is not ready',
  usage: '[flags]',
  examples: ['chandlery status', 'chandlery status -w', 'chandlery status -o json'],
  options: {},
  notes: [
    'Ends with 1 when the landscape does not run or is not ready. Without rights on the whole landscape it counts what',
    'there is on the cluster of the context, as far as you may read it.',
  ],
  goal: () => 'read the status of the landscape',
  async run(context) {
    const format = formatOf(context.flags);
    const connection = contextConnectionOf(context);
    const address = new URL(connection.server).origin;
    const dataDir = localDataDirOf(context, address);
    const folder = dataDir === undefined ? undefined : readDataFolder(dataDir);
    const status = await readStatus(connection).catch((thrown: unknown) => {
      if (!isError(thrown, 'ConnectionFailed')) throw thrown;
      print(context, format, dashboardOf({ address, folder, status: stopped(thrown.message) }));
      throw notRunning(thrown);
    });
    print(context, format, dashboardOf({ address, folder, status }));
    return status.isReady ? exitCodes.ok : exitCodes.failure;
  },
};

const notRunning = (cause: ChandleryError): ChandleryError =>
  new ChandleryError(cause.code, `the landscape is not running: ${cause.message}`, {
    cause,
    ...(cause.hint === undefined ? {} : { hint: cause.hint }),
  });

/** What is known about a landscape that does not respond. */
interface Stopped {
  readonly isReady: false;
  readonly checks: readonly Check[];
}

const stopped = (reason: string): Stopped => ({ isReady: false, checks: [{ name: 'server', isOk: false, reason }] });

interface Dashboard {
  readonly address: string;
  readonly folder: DataFolder | undefined;
  readonly status: LandscapeStatus | Stopped;
}

function dashboardOf({ address, folder, status }: Dashboard): Dashboard {
  const checks = [...status.checks, ...(folder === undefined ? [] : [diskCheck(folder)])];
  return { address, folder, status: { ...status, checks } };
}

function print(context: CommandContext, format: Format, dashboard: Dashboard): void {
  const { address, folder, status } = dashboard;
  const document = {
    address,
    command: buildVersion,
    ...status,
    ...(folder === undefined ? {} : { dataFolder: folder }),
  };
  context.stdout.write(format === 'table' ? textOf(context, dashboard) : formatValue(document, format));
}

function textOf(context: CommandContext, { address, folder, status }: Dashboard): string {
  const facts: (readonly [string, string])[] = [
    ['Landscape', status.isReady ? 'running and ready' : 'version' in status ? 'running, not ready' : 'not running'],
    ['Address', address],
    ...('version' in status ? runningFacts(status) : []),
    ['Command', buildVersion],
    ...(folder === undefined ? [] : [['Data folder', `${folder.path} (${formatBytes(folder.bytes)})`] as const]),
  ];
  const counted = 'counted' in status ? status.counted : undefined;
  const parts = [
    formatPairs(facts),
    checkTable(context, status.checks),
    ...(counted === undefined ? [] : [countText(context, counted)]),
  ];
  return parts.join('\n');
}

function runningFacts({
  version,
  commit,
  store,
  logicalClusters,
  replicas,
  certificateAuthority,
  encryption,
}: LandscapeStatus): (readonly [string, string])[] {
  return [
    ['Version', commit === undefined ? version : `${version} (${commit.slice(0, 12)})`],
    ['Store', store],
    ...replicaFacts(replicas),
    ['Proxies', proxiesText(replicas)],
    ...(certificateAuthority === undefined ? [] : [['Authority', rotationText(certificateAuthority)] as const]),
    ...((encryption?.keys.length ?? 0) > 1 && encryption
      ? [['Encryption', reencryptionText(encryption)] as const]
      : []),
    ['Logical clusters', String(logicalClusters ?? 'unknown')],
  ];
}

/** The one process on an embedded store is not listed. */
function replicaFacts(replicas: LandscapeStatus['replicas'] = []): (readonly [string, string])[] {
  const all = replicas.filter(({ version }) => version !== undefined);
  if (all.length === 0) return [];
  const names = all.map(({ name, isLeader }) => `${name}${isLeader === true ? ' leads' : ''}`);
  return [['Replicas', `${all.length} (${names.join(', ')})`]];
}

function rotationText({ phase, present, usersOfOld }: AuthorityDocument): string {
  if (phase === 'settled') return `${present.name}, until ${present.notAfter.slice(0, 10)}`;
  const users = usersOfOld.length === 0 ? '' : `; ${usersOfOld.length} with certificates of the old one`;
  return `being rotated (${phase})${users}: npx chandlery ca status`;
}

function proxiesText(replicas: LandscapeStatus['replicas']): string {
  if (replicas === undefined) return 'unknown';
  const connected = replicas.filter(({ proxies }) => proxies > 0);
  const count = connected.reduce((sum, { proxies }) => sum + proxies, 0);
  return count === 0 ? 'none connected' : `${count} connected to ${connected.map(({ name }) => name).join(', ')}`;
}

function checkTable(context: CommandContext, checks: readonly Check[]): string {
  const headings = ['check', 'status', 'reason'];
  const rows = checks.map(({ name, isOk, reason }) => [name, isOk ? 'ok' : 'failed', reason]);
  return formatTable(headings, rows, statePaint(context, headings));
}

/** No more names are shown in a row. */
const maxShown = 3;

function countText(context: CommandContext, { domains, isPartial }: Counted): string {
  const headings = ['domain', 'objects', 'not ready', 'which'];
  const table = formatTable(headings, domains.map(rowOf), statePaint(context, headings));
  return `${table}${isPartial ? 'Only what you may read is counted.\n' : ''}`;
}

const rowOf = ({ domain, objects, isMore, notReady }: DomainCount): string[] => [
  domain,
  `${isMore ? 'over ' : ''}${objects}`,
  String(notReady.length),
  `${notReady.slice(0, maxShown).join(', ')}${notReady.length > maxShown ? ', …' : ''}` || '-',
];
