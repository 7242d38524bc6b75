import { formatOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { connectionOf } from '../../landscape/connect.ts';
import { formatValue } from '../../output/print-object.ts';
import { formatPairs } from '../../output/table.ts';
import { commonFlags } from '../flags.ts';
import { connectSm } from '../sm-client.ts';
import { groups } from './groups.ts';

/** Shows `/v1/info`. */
export const infoCommand: Command = {
  name: 'info',
  aliases: ['i'],
  group: groups.others,
  summary: 'Show the address and the /v1/info document of the service manager',
  usage: '[flags]',
  examples: ['chandlery info', 'chandlery info -o json'],
  options: commonFlags,
  goal: () => 'ask the service manager about itself',
  async run(context) {
    const format = formatOf(context.flags);
    await using sm = connectSm(context);
    const info = await sm.get<Record<string, unknown>>('/v1/info');
    const address = new URL(connectionOf(context).server).origin;
    const rows = Object.entries(info).map(([name, value]) => [name, String(value).trim()] as const);
    const printed = rows.filter(([, value]) => value !== '');
    context.stdout.write(
      format === 'table' ? formatPairs([['address', address], ...printed]) : formatValue({ address, ...info }, format),
    );
    return 0;
  },
};
