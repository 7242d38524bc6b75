import { formatOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { resultFormats } from '../../output/print-object.ts';
import { type Listed, printList } from '../../output/print-results.ts';
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
  formats: resultFormats,
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
    const format = formatOf(context.flags, resultFormats);
    const query = { product: productOf(context.flags), organisation: context.flags.text('org') };
    await using fleet = connectFleet(context);
    const list = await fleet.ask<{ readonly items: readonly QuotaLine[] }>(landscapeId, ['quota'], { query });
    printList(context, { items: list.items, listed, format });
    return 0;
  },
};

const listed: Listed<QuotaLine> = {
  noun: 'quota entry',
  columns: [
    ['type', ({ type }) => type],
    ['org', ({ organisation }) => organisation],
    ['user', userText],
    ['used', ({ used }) => String(used)],
    ['limit', ({ limit }) => (limit === null ? 'unlimited' : String(limit))],
    ['source', ({ source }) => source],
  ],
  name: line => `${line.type}/${line.organisation ?? ''}/${userText(line)}`,
};

function userText({ username, users }: QuotaLine): string {
  return username ?? (users === undefined ? 'any' : users.join(',') || 'nobody');
}
