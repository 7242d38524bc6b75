import type { Command } from '../../command.ts';
import { changeCommands } from './change-commands.ts';
import { getCommand } from './get-command.ts';
import { lintCommand } from './lint-command.ts';
import { logsCommand } from './logs-command.ts';
import { retryCommand } from './retry-command.ts';
import { submitCommand } from './submit-command.ts';
import { watchCommand } from './watch-command.ts';

/** The commands of workflows, in the order of help. */
export const workflowCommands: readonly Command[] = [
  submitCommand,
  getCommand,
  watchCommand,
  lintCommand,
  logsCommand,
  retryCommand,
  ...changeCommands,
];
