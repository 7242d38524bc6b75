import type { Command } from '../command.ts';
import { serviceManagerCommands, withOperationStatus } from '../service-manager/commands/index.ts';
import { backupCommand } from './backup.ts';
import { clustersCreateCommand } from './clusters-create.ts';
import { clustersDeleteCommand } from './clusters-delete.ts';
import { clustersListCommand } from './clusters-list.ts';
import { fleetCommands } from './fleet/index.ts';
import { helpCommand } from './help.ts';
import { kubeconfigCommand } from './kubeconfig.ts';
import { meshCommands } from './mesh/index.ts';
import { ordersCommands } from './orders/index.ts';
import { planCommand } from './plan.ts';
import { providerDescribeCommand } from './provider-describe.ts';
import { providerListCommand } from './provider-list.ts';
import { providerNewCommand } from './provider-new.ts';
import { providerValidateCommand } from './provider-validate.ts';
import { restoreCommand } from './restore.ts';
import { statusCommand } from './status.ts';
import { storeVerifyCommand } from './store-verify.ts';
import { traceCommand } from './trace.ts';
import { upCommand } from './up.ts';
import { versionCommand } from './version.ts';
import { workflowCommands } from './workflow/index.ts';

/** All commands, in the order of help. */
export const commands: readonly Command[] = [
  upCommand,
  withOperationStatus(statusCommand),
  kubeconfigCommand,
  clustersListCommand,
  clustersCreateCommand,
  clustersDeleteCommand,
  providerListCommand,
  providerDescribeCommand,
  providerNewCommand,
  providerValidateCommand,
  traceCommand,
  planCommand,
  backupCommand,
  restoreCommand,
  storeVerifyCommand,
  versionCommand,
  helpCommand,
  ...serviceManagerCommands,
  ...meshCommands,
  ...fleetCommands,
  ...ordersCommands,
  ...workflowCommands,
];
