import { authorityRotateCommand } from '../authority/rotate-command.ts';
import { authorityStatusCommand } from '../authority/status-command.ts';
import { clustersCreateCommand } from '../clusters/create-command.ts';
import { clustersDeleteCommand } from '../clusters/delete-command.ts';
import { clustersListCommand } from '../clusters/list-command.ts';
import type { Command } from '../command.ts';
import { completionCommands } from '../completion/completion-commands.ts';
import { demoCommand } from '../demo/demo-command.ts';
import { fleetCommands } from '../fleet/commands/index.ts';
import { helpCommand } from '../help/help-command.ts';
import { versionCommand } from '../help/version-command.ts';
import { consoleCommand } from '../landscape/console-command.ts';
import { kubeconfigCommand } from '../landscape/kubeconfig-command.ts';
import { statusCommand } from '../landscape/status-command.ts';
import { upCommand } from '../landscape/up-command.ts';
import { contextCommands } from '../login/context-commands.ts';
import { loginCommand } from '../login/login-command.ts';
import { watched } from '../output/watched.ts';
import { providerDescribeCommand } from '../providers/describe-command.ts';
import { providerDevCommand } from '../providers/dev/dev-command.ts';
import { providerInstallCommand } from '../providers/install-command.ts';
import { providerKubeconfigCommand } from '../providers/kubeconfig-command.ts';
import { providerListCommand } from '../providers/list-command.ts';
import { providerLogsCommand } from '../providers/logs-command.ts';
import { providerNewCommand } from '../providers/new-command.ts';
import { planCommand } from '../providers/plan-command.ts';
import { traceCommand } from '../providers/trace-command.ts';
import { providerUninstallCommand } from '../providers/uninstall-command.ts';
import { providerUpgradeCommand } from '../providers/upgrade-command.ts';
import { providerValidateCommand } from '../providers/validate-command.ts';
import { resourceCommands } from '../resources/index.ts';
import { serviceManagerCommands, withOperationStatus } from '../service-manager/commands/index.ts';
import { backupCommand } from '../store/backup-command.ts';
import { keysCreateCommand } from '../store/keys-create-command.ts';
import { keysDropCommand } from '../store/keys-drop-command.ts';
import { keysRotateCommand } from '../store/keys-rotate-command.ts';
import { keysStatusCommand } from '../store/keys-status-command.ts';
import { restoreCommand } from '../store/restore-command.ts';
import { storeVerifyCommand } from '../store/verify-command.ts';
import { controlPlaneKubeconfigCommand } from '../tenants/control-plane-kubeconfig-command.ts';
import { tenantCommands } from '../tenants/tenant-commands.ts';
import { userCommands } from '../users/user-commands.ts';
import { meshCommands } from './mesh/index.ts';
import { ordersCommands } from './orders/index.ts';
import { workflowCommands } from './workflow/index.ts';

/** All commands, in the order of help. */
export const commands: readonly Command[] = [
  upCommand,
  demoCommand,
  watched(withOperationStatus(statusCommand)),
  loginCommand,
  ...contextCommands,
  consoleCommand,
  kubeconfigCommand,
  ...userCommands,
  watched(clustersListCommand),
  clustersCreateCommand,
  clustersDeleteCommand,
  providerListCommand,
  providerDescribeCommand,
  providerNewCommand,
  providerDevCommand,
  providerInstallCommand,
  providerUpgradeCommand,
  providerLogsCommand,
  providerUninstallCommand,
  providerKubeconfigCommand,
  providerValidateCommand,
  traceCommand,
  planCommand,
  backupCommand,
  restoreCommand,
  keysCreateCommand,
  watched(keysStatusCommand),
  keysRotateCommand,
  keysDropCommand,
  watched(authorityStatusCommand),
  authorityRotateCommand,
  storeVerifyCommand,
  ...completionCommands,
  versionCommand,
  helpCommand,
  ...tenantCommands,
  controlPlaneKubeconfigCommand,
  ...resourceCommands,
  ...serviceManagerCommands,
  ...meshCommands,
  ...fleetCommands,
  ...ordersCommands,
  ...workflowCommands,
];
