import { formatOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { formatValue } from '../../output/print-object.ts';
import { writeTable } from '../../output/table.ts';
import { connectFleet, landscapeId } from '../fleet-client.ts';
import { fleetGroup, productFlag, productOf } from '../fleet-flags.ts';

interface QuotaLine {
  readonly type: 'organisation' | 'account' | 'trial';
  readonly organisation?: string;
  readonly username?: string;
  readonly source: string;
  readonly users?: readonly string[];
  readonly limit: number | null;
  readonly used: number;
}

/** Shows the quota and its usage. */
export const quotaCommand: Command = {
  name: 'fleet quota',
  group: fleetGroup,
  summary: 'Show who may have how many instances of a product, and how many they have',
  usage: '[flags]',
  examples: [
    'chandlery fleet quota',
    'chandlery fleet quota --org acme',
    'chandlery fleet quota --product postgres -o json',
  ],
  options: {
    ...productFlag,
    org: { type: 'text', valueName: 'ORG', about: 'Only what counts in this organisation. Default: all.' },
  },
  notes: [
    'A line is an entry of the configuration, a QuotaGrant, or the trial instances of a user. Entries of one organisation share what is used.',
    'LIMIT and USED are quota units; "unlimited": enable_instance_limit_control is off.',
  ],
  goal: () => 'show the quota of the fleet',
  async run(context) {
    const format = formatOf(context.flags);
    const query = { product: productOf(context.flags), organisation: context.flags.text('org') };
    await using fleet = connectFleet(context);
    const list = await fleet.ask<{ readonly items: readonly QuotaLine[] }>(landscapeId, ['quota'], { query });
    if (format === 'table') writeTable(context, { noun: 'quota entry', headings, rows: list.items.map(rowOf) });
    else context.stdout.write(formatValue(list, format));
    return 0;
  },
};

const headings = ['type', 'org', 'user', 'used', 'limit', 'source'];

const rowOf = ({ type, organisation = '', username, users, used, limit, source }: QuotaLine): string[] => [
  type,
  organisation,
  username ?? (users === undefined ? 'any' : users.join(',') || 'nobody'),
  String(used),
  limit === null ? 'unlimited' : String(limit),
  source,
];
