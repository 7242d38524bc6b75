import { formatAge } from '@chandlery/api';
import { formatOf } from '../args/global-flags.ts';
import { clustersGroup } from '../clusters/logical-cluster.ts';
import type { Command } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { connectTo } from '../landscape/connect-to.ts';
import { resultFormats } from '../output/print-object.ts';
import { type Listed, printList } from '../output/print-results.ts';
import { homeOf, revokeAccess } from './grants.ts';
import { deletePerson, listPeople, type Person, personName } from './person.ts';

const clusterFlag = {
  cluster: {
    type: 'text',
    valueName: 'NAME',
    about: 'The logical cluster, or the API of a project. Default: onboarding.',
  },
} as const;

const userListCommand: Command = {
  name: 'user list',
  group: clustersGroup,
  summary: 'List the people who got a kubeconfig from "kubeconfig --user"',
  usage: '[flags]',
  examples: ['chandlery user list', 'chandlery user list --cluster team-a -o json'],
  formats: resultFormats,
  options: clusterFlag,
  goal: () => 'list the users',
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    await using platform = connect(context);
    const { home } = await homeOf(platform, context.flags.text('cluster') ?? 'onboarding');
    await using client = connectTo(context, home);
    printList(context, { items: await listPeople(client), listed, format });
    return 0;
  },
};

const listed: Listed<Person> = {
  noun: 'user',
  document: 'array',
  columns: [
    ['name', ({ name }) => name],
    ['token', ({ expires }, now) => tokenText(expires, now)],
    ['age', ({ created }, now) => formatAge(created, now)],
  ],
};

const tokenText = (expires: string, now: Date): string => {
  if (expires === '') return '';
  return expires > now.toISOString() ? `valid until ${expires}` : `expired ${expires}`;
};

const userRevokeCommand: Command = {
  name: 'user revoke',
  group: clustersGroup,
  summary: 'Delete a user: its tokens are rejected at once, its roles are removed',
  usage: 'NAME [flags]',
  examples: ['chandlery user revoke ann', 'chandlery user revoke ann --cluster team-a'],
  arguments: { required: ['NAME'] },
  formats: [],
  options: clusterFlag,
  goal: ([name]) => `revoke the user "${name}"`,
  async run(context) {
    const user = personName(context.args[0] ?? '');
    await using platform = connect(context);
    const { home } = await homeOf(platform, context.flags.text('cluster') ?? 'onboarding');
    await using client = connectTo(context, home);
    await deletePerson(client, user);
    const places = await revokeAccess(client, user);
    context.stdout.write(`user ${user} revoked${places.length === 0 ? '' : `: removed from ${places.join(', ')}`}\n`);
    return 0;
  },
};

export const userCommands: readonly Command[] = [userListCommand, userRevokeCommand];
