import type { Command } from '../../command.ts';
import { connectionOf } from '../../landscape/connect.ts';
import { formatValue } from '../../output/print-object.ts';
import { formatPairs } from '../../output/table.ts';
import { commonFlags, printingOf } from '../flags.ts';
import { connectSm } from '../sm-client.ts';
import { groups } from './groups.ts';

/** Says what the service manager tells about itself. */
export const infoCommand: Command = {
  name: 'info',
  aliases: ['i'],
  group: groups.others,
  summary: 'Tell where the service manager is and what it says of itself',
  usage: '[flags]',
  examples: ['chandlery info', 'chandlery info -o json'],
  options: commonFlags,
  goal: () => 'ask the service manager about itself',
  async run(context) {
    const format = printingOf(context.flags);
    await using sm = connectSm(context);
    const info = await sm.get<Record<string, unknown>>('/v1/info');
    const address = new URL(connectionOf(context).server).origin;
    const rows = Object.entries(info).map(([name, value]) => [name, String(value).trim()] as const);
    const told = rows.filter(([, value]) => value !== '');
    context.stdout.write(
      format === 'table' ? formatPairs([['address', address], ...told]) : formatValue({ address, ...info }, format),
    );
    return 0;
  },
};
