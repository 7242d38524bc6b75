import { formatAge } from '@chandlery/api';
import { formatOf } from '../args/global-flags.ts';
import type { Command } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { formatValue } from '../output/print-object.ts';
import { formatPairs, formatTable } from '../output/table.ts';
import { type AuthorityDocument, readAuthority } from './authority-document.ts';

export const authorityStatusCommand: Command = {
  name: 'ca status',
  summary: "Show the landscape's certificate authority, and who still uses an old one",
  usage: '[flags]',
  examples: ['chandlery ca status', 'chandlery ca status -o json'],
  options: {},
  goal: () => 'read the state of the certificate authority',
  async run(context) {
    const format = formatOf(context.flags);
    await using client = connect(context);
    const document = await readAuthority(client);
    context.stdout.write(format === 'table' ? authorityText(document, new Date()) : formatValue(document, format));
    return 0;
  },
};

const phaseTexts: Readonly<Record<AuthorityDocument['phase'], string>> = {
  settled: 'settled: one authority',
  trusted: 'trusted: the new authority is trusted; the old one still issues',
  issuing: 'issuing: the new authority issues; the old one is still trusted',
};

/** The state for people. */
export function authorityText(document: AuthorityDocument, now: Date): string {
  const { phase, since, dropAt, present, old, replicas, usersOfOld } = document;
  const behind = replicas.filter(({ isFollowing }) => !isFollowing).map(({ name }) => name);
  const following = `${replicas.length - behind.length} of ${replicas.length} follow`;
  const pairs: (readonly [string, string])[] = [
    ['Phase', `${phaseTexts[phase]}${since === undefined ? '' : ` (since ${formatAge(since, now)})`}`],
    [old === undefined ? 'Authority' : 'New', `${present.name}, until ${present.notAfter.slice(0, 10)}`],
    ['Fingerprint', present.fingerprint],
    ...(old === undefined ? [] : [['Old', `${old.name}, until ${old.notAfter.slice(0, 10)}`] as const]),
    ...(dropAt === undefined ? [] : [['Drops old', dropAt] as const]),
    ['Replicas', `${following}${behind.length === 0 ? '' : `; not yet: ${behind.join(', ')}`}`],
  ];
  if (old === undefined) return formatPairs(pairs);
  return `${formatPairs(pairs)}\n${usersText(usersOfOld, now)}`;
}

function usersText(users: AuthorityDocument['usersOfOld'], now: Date): string {
  if (users.length === 0) return 'No user was seen with a client certificate of the old authority.\n';
  const rows = users.map(({ user, issuer, lastSeen, validUntil }) => [
    user,
    issuer,
    `${formatAge(lastSeen, now)} ago`,
    validUntil.slice(0, 10),
  ]);
  return formatTable(['user of old', 'issuer', 'last seen', 'valid until'], rows);
}
