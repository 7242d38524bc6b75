import { ChandleryError, isError } from '@chandlery/api';
import { createClient } from '@chandlery/client';
import { formatOf } from '../args/global-flags.ts';
import type { Command } from '../command.ts';
import { formatValue } from '../output/print-object.ts';
import { formatPairs, formatTable } from '../output/table.ts';
import { connectionOf } from './connect.ts';
import { type LandscapeStatus, readStatus } from './landscape-status.ts';

export const statusCommand: Command = {
  name: 'status',
  summary: 'Show whether the landscape runs, and its health',
  usage: '[flags]',
  examples: ['chandlery status', 'chandlery status -o json'],
  options: {},
  notes: ['Ends with 1 when the landscape does not run or is not ready.'],
  goal: () => 'read the status of the landscape',
  async run(context) {
    const format = formatOf(context.flags);
    const connection = connectionOf(context);
    const address = new URL(connection.server).origin;
    await using client = createClient(connection);
    const status = await readStatus(client).catch((thrown: unknown) => {
      throw isError(thrown, 'ConnectionFailed') ? notRunning(thrown) : thrown;
    });
    context.stdout.write(format === 'table' ? storyOf(address, status) : formatValue({ address, ...status }, format));
    return status.isReady ? 0 : 1;
  },
};

const notRunning = (cause: ChandleryError): ChandleryError =>
  new ChandleryError(cause.code, `the landscape is not running: ${cause.message}`, {
    cause,
    ...(cause.hint === undefined ? {} : { hint: cause.hint }),
  });

function storyOf(address: string, { isReady, version, store, logicalClusters, checks }: LandscapeStatus): string {
  const pairs = formatPairs([
    ['Landscape', isReady ? 'running and ready' : 'running, not ready'],
    ['Version', version],
    ['Address', address],
    ['Store', store],
    ['Logical clusters', String(logicalClusters ?? 'unknown')],
  ]);
  const rows = checks.map(({ name, isOk, reason }) => [name, isOk ? 'ok' : 'failed', reason]);
  return `${pairs}\n${formatTable(['check', 'status', 'reason'], rows)}`;
}
