import type { Command, CommandContext } from '../../command.ts';
import { resultFormats } from '../../output/print-object.ts';
import { commonFlags, timeoutOf, waitFlags } from '../flags.ts';
import { followOperation } from '../follow-operation.ts';
import { printOne } from '../print.ts';
import { sendChange } from '../send-change.ts';
import { connectSm } from '../sm-client.ts';
import { pathOf, smKinds } from '../sm-kinds.ts';
import type { SmOperation } from '../sm-types.ts';
import { groups } from './groups.ts';

const kind = smKinds.operations;

const getOperation: Command = {
  name: 'operation get',
  group: groups.others,
  summary: 'Show an operation, or follow it until it ends',
  usage: 'OPERATION [flags]',
  examples: [
    'chandlery operation get 77a0',
    'chandlery operation get /v1/service_instances/5f1c/operations/77a0 --wait',
  ],
  arguments: { required: ['OPERATION'] },
  formats: resultFormats,
  options: { ...waitFlags, ...commonFlags },
  notes: ['OPERATION is the address of an operation, as other commands print it, or its id.'],
  goal: ([given]) => `show the operation ${given}`,
  run: context => showOperation(context, context.args[0] ?? ''),
};

/** The `status` command of the landscape, which with an argument shows an operation of the service manager. */
export const withOperationStatus = (landscape: Command): Command => ({
  ...landscape,
  usage: '[OPERATION] [flags]',
  arguments: { optional: ['OPERATION'] },
  options: { ...landscape.options, ...waitFlags, param: commonFlags.param, tenant: commonFlags.tenant },
  notes: [...(landscape.notes ?? []), 'With an OPERATION of the service manager it is "operation get".'],
  goal: args => (args[0] === undefined ? (landscape.goal?.(args) ?? '') : `show the operation ${args[0]}`),
  run: context => (context.args[0] === undefined ? landscape.run(context) : showOperation(context, context.args[0])),
});

async function showOperation(context: CommandContext, given: string): Promise<number> {
  const path = given.startsWith('/') ? given : pathOf(kind, given);
  await using sm = connectSm(context);
  const following = { timeoutMs: timeoutOf(context.flags), progress: context.stderr };
  const isFollowed = context.flags.isOn('wait');
  const operation = isFollowed ? await followOperation(sm, path, following) : await sm.get<SmOperation>(path);
  await printOne(context, sm, { kind, object: operation });
  return 0;
}

const retryOperation: Command = {
  name: 'operation retry',
  aliases: ['retry-operation'],
  group: groups.others,
  summary: 'Retry a failed operation',
  usage: 'ID [flags]',
  examples: ['chandlery operation retry 77a0 --wait'],
  arguments: { required: ['ID'] },
  formats: resultFormats,
  options: { ...waitFlags, ...commonFlags },
  goal: ([id]) => `retry the operation ${id}`,
  async run(context) {
    const [id = ''] = context.args;
    await using sm = connectSm(context);
    const what = `retry of operation ${id}`;
    const path = `${pathOf(kind, id)}/retry`;
    const done = await sendChange(context, sm, { method: 'POST', path, what });
    if (done !== undefined) await printOne(context, sm, { kind, object: await sm.get(pathOf(kind, id)) });
    return 0;
  },
};

/** Commands for operations. */
export const operationCommands: readonly Command[] = [getOperation, retryOperation];
