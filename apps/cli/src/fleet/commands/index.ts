import type { Command } from '../../command.ts';
import { watched } from '../../output/watched.ts';
import { clustersDescribeCommand, clustersDrainCommand, clustersListCommand } from './cluster-commands.ts';
import { configureCommand } from './configure-command.ts';
import { explainCommand } from './explain-command.ts';
import { instancesCreateCommand } from './instances-create-command.ts';
import { instancesDeleteCommand } from './instances-delete-command.ts';
import { instancesDescribeCommand } from './instances-describe-command.ts';
import { instancesListCommand } from './instances-list-command.ts';
import { quotaCommand } from './quota-command.ts';
import { rolloutChangeCommands, rolloutStatusCommand } from './rollout-commands.ts';
import { rolloutStartCommand } from './rollout-start-command.ts';
import { tokenCommand } from './token-command.ts';

/** The commands of the fleet, in the order of help. */
export const fleetCommands: readonly Command[] = [
  configureCommand,
  tokenCommand,
  watched(instancesListCommand),
  instancesCreateCommand,
  instancesDescribeCommand,
  instancesDeleteCommand,
  explainCommand,
  watched(quotaCommand),
  watched(clustersListCommand),
  clustersDescribeCommand,
  clustersDrainCommand,
  rolloutStartCommand,
  watched(rolloutStatusCommand),
  ...rolloutChangeCommands,
];
