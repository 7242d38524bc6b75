import type { Command } from '../../command.ts';
import { watched } from '../../output/watched.ts';
import { agentCommand } from './agent-command.ts';
import { bootstrapCommand } from './bootstrap-command.ts';
import { configCommand } from './config-command.ts';
import { endpointsCommand } from './endpoints-command.ts';
import { explainCommand } from './explain-command.ts';
import { joinCommand } from './join-command.ts';
import { rotateRootCommand } from './rotate-root-command.ts';
import { statusCommand } from './status-command.ts';

/** The commands of the mesh, in the order of help. */
export const meshCommands: readonly Command[] = [
  watched(statusCommand),
  endpointsCommand,
  explainCommand,
  configCommand,
  bootstrapCommand,
  agentCommand,
  joinCommand,
  rotateRootCommand,
];
