import type { Command } from '../../command.ts';
import { bindingCommands } from './binding-commands.ts';
import { brokerCommands } from './broker-commands.ts';
import { curlCommand } from './curl-command.ts';
import { infoCommand } from './info-command.ts';
import { instanceCommands } from './instance-commands.ts';
import { labelCommand } from './label-command.ts';
import { listCommands } from './list-commands.ts';
import { marketplaceCommand } from './marketplace-command.ts';
import { operationCommands } from './operation-commands.ts';
import { platformCommands } from './platform-commands.ts';
import { sharingCommands } from './sharing-commands.ts';
import { visibilityCommands } from './visibility-commands.ts';

/** The verbs of the service manager, in the order of help within their groups. */
export const serviceManagerCommands: readonly Command[] = [
  ...listCommands,
  ...brokerCommands,
  ...platformCommands,
  marketplaceCommand,
  ...visibilityCommands,
  ...instanceCommands,
  ...sharingCommands,
  ...bindingCommands,
  ...operationCommands,
  labelCommand,
  curlCommand,
  infoCommand,
];

export { withOperationStatus } from './operation-commands.ts';
