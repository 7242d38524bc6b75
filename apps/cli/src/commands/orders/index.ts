import type { Command } from '../../command.ts';
import { watched } from '../../output/watched.ts';
import { artifactGetCommand, artifactPutCommand } from './artifact-commands.ts';
import { orderControlCommands } from './order-control-commands.ts';
import { orderCreateCommand } from './order-create-command.ts';
import { orderDescribeCommand, orderListCommand, orderLogsCommand } from './order-read-commands.ts';
import { orderTopCommand } from './order-top-command.ts';
import {
  serviceApplyCommand,
  serviceDeleteCommand,
  serviceDescribeCommand,
  serviceListCommand,
} from './service-commands.ts';

/** The commands of services, orders and artifacts, in the order of help. */
export const ordersCommands: readonly Command[] = [
  serviceListCommand,
  serviceDescribeCommand,
  serviceApplyCommand,
  serviceDeleteCommand,
  orderCreateCommand,
  watched(orderListCommand),
  orderDescribeCommand,
  orderLogsCommand,
  orderTopCommand,
  ...orderControlCommands,
  artifactPutCommand,
  artifactGetCommand,
];
