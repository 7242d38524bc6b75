import type { Flags } from '../../args/flags.ts';
import { formatOf } from '../../args/global-flags.ts';
import { usageError } from '../../args/usage-error.ts';
import type { Command } from '../../command.ts';
import { formatValue } from '../../output/print-object.ts';
import { connectFleet, landscapeId } from '../fleet-client.ts';
import { durationSecondsOf, fleetGroup, requiredOf } from '../fleet-flags.ts';

const adminRole = 'fleet-manager-admin-full';
const agentRole = 'fleetshard_operator';

interface Token {
  readonly token: string;
}

/** Prints a token of the landscape's own issuer. */
export const tokenCommand: Command = {
  name: 'fleet token',
  group: fleetGroup,
  summary: 'Print a token for the REST API: of a user, an administrator, or an agent',
  usage: '--org ORG --user USER | --admin --user USER | --agent CLUSTER [flags]',
  examples: [
    'chandlery fleet token --org acme --user ann',
    'chandlery fleet token --user sam --admin --ttl 15m',
    'chandlery fleet token --agent frankfurt-1 > agent.token',
  ],
  options: {
    org: { type: 'text', valueName: 'ORG', about: 'The organisation of the user.' },
    user: { type: 'text', valueName: 'USER', about: 'The name of the user.' },
    'org-admin': {
      type: 'switch',
      about: "The user may change and delete instances of the organisation's other members.",
    },
    admin: { type: 'switch', about: 'The user may do everything on the admin routes.' },
    agent: { type: 'text', valueName: 'CLUSTER', about: 'The token is for the agent of this cluster.' },
    ttl: { type: 'text', valueName: 'DURATION', about: 'How long it is valid, from 1m to 720h. Default: 12h.' },
  },
  notes: [
    'The token is of the landscape itself. Products whose configuration names issuers of their own accept it from agents only.',
    'Only the token is printed, so that it can be used in "$(...)"; -o json adds when it expires and who issued it.',
  ],
  goal: () => 'issue a token',
  async run(context) {
    const format = formatOf(context.flags);
    const body = requestOf(context.flags);
    await using fleet = connectFleet(context);
    const issued = await fleet.ask<Token>(landscapeId, ['tokens'], { method: 'POST', body });
    context.stdout.write(format === 'table' ? `${issued.token}\n` : formatValue(issued, format));
    return 0;
  },
};

/** The body of the request. */
function requestOf(flags: Flags): Readonly<Record<string, unknown>> {
  const [agent, isAdmin] = [flags.text('agent'), flags.isOn('admin')];
  if (agent !== undefined && (isAdmin || flags.text('org') !== undefined))
    throw usageError('InvalidOption', '--agent is for a token of an agent; leave out --admin and --org');
  const organisation = agent === undefined && !isAdmin ? requiredOf(flags, 'org', 'ORG') : flags.text('org');
  const seconds = durationSecondsOf(flags, 'ttl');
  return {
    username: agent === undefined ? requiredOf(flags, 'user', 'USER') : (flags.text('user') ?? `agent-${agent}`),
    ...(organisation === undefined ? {} : { organisation }),
    ...(flags.isOn('org-admin') ? { is_org_admin: true } : {}),
    ...(isAdmin ? { roles: [adminRole] } : {}),
    ...(agent === undefined ? {} : { roles: [agentRole], cluster_id: agent }),
    ...(seconds === undefined ? {} : { expiration_seconds: seconds }),
  };
}
