import type { Command } from '../command.ts';
import { applyCommand } from './apply-command.ts';
import { deleteCommand } from './delete-command.ts';
import { describeCommand } from './describe-command.ts';
import { diffCommand } from './diff-command.ts';
import { eventsCommand } from './events-command.ts';
import { explainCommand } from './explain-command.ts';
import { getCommand } from './get-command.ts';
import { historyCommand } from './history-command.ts';
import { logsCommand } from './logs-command.ts';
import { rollbackCommand } from './rollback-command.ts';
import { suggestingNames } from './suggest-name.ts';
import { waitCommand } from './wait-command.ts';

/** Commands for objects of any kind, found by discovery: a kind that was defined a moment ago needs no other command. */
export const resourceCommands: readonly Command[] = [
  suggestingNames(getCommand),
  suggestingNames(describeCommand),
  applyCommand,
  diffCommand,
  suggestingNames(deleteCommand),
  suggestingNames(waitCommand),
  eventsCommand,
  suggestingNames(logsCommand),
  suggestingNames(historyCommand),
  suggestingNames(rollbackCommand),
  explainCommand,
];
