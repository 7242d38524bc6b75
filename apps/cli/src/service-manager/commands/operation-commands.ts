import type { Command, CommandContext } from '../../command.ts';
import { commonFlags, printingOf, timeoutOf, waitFlags } from '../flags.ts';
import { followOperation } from '../follow-operation.ts';
import { printOne } from '../print.ts';
import { sendChange } from '../send-change.ts';
import { connectSm } from '../sm-client.ts';
import { pathOf, smKinds } from '../sm-kinds.ts';
import type { SmOperation } from '../sm-types.ts';
import { groups } from './groups.ts';

const kind = smKinds.operations;

/** The `status` command of the landscape, which with an argument shows an operation of the service manager. */
export const withOperationStatus = (landscape: Command): Command => ({
  ...landscape,
  usage: '[OPERATION] [flags]',
  examples: [...landscape.examples, 'chandlery status /v1/service_instances/5f1c/operations/77a0 --wait'],
  arguments: { optional: ['OPERATION'] },
  options: { ...landscape.options, ...waitFlags, param: commonFlags.param, tenant: commonFlags.tenant },
  notes: [
    ...(landscape.notes ?? []),
    'OPERATION is the address of an operation of the service manager, as other commands print it, or its id.',
  ],
  goal: args => (args[0] === undefined ? (landscape.goal?.(args) ?? '') : `show the operation ${args[0]}`),
  run: context => (context.args[0] === undefined ? landscape.run(context) : showOperation(context, context.args[0])),
});

async function showOperation(context: CommandContext, given: string): Promise<number> {
  printingOf(context.flags);
  const path = given.startsWith('/') ? given : pathOf(kind, given);
  await using sm = connectSm(context);
  const following = { timeoutMs: timeoutOf(context.flags), progress: context.stderr };
  const isFollowed = context.flags.isOn('wait');
  const operation = isFollowed ? await followOperation(sm, path, following) : await sm.get<SmOperation>(path);
  printOne(context, kind, operation);
  return 0;
}

const retryOperation: Command = {
  name: 'retry-operation',
  group: groups.others,
  summary: 'Retry a failed operation',
  usage: 'ID [flags]',
  examples: ['chandlery retry-operation 77a0 --wait'],
  arguments: { required: ['ID'] },
  options: { ...waitFlags, ...commonFlags },
  goal: ([id]) => `retry the operation ${id}`,
  async run(context) {
    printingOf(context.flags);
    const [id = ''] = context.args;
    await using sm = connectSm(context);
    const what = `retry of operation ${id}`;
    const path = `${pathOf(kind, id)}/retry`;
    const done = await sendChange(context, sm, { method: 'POST', path, what });
    if (done !== undefined) printOne(context, kind, await sm.get(pathOf(kind, id)));
    return 0;
  },
};

/** Commands for operations. */
export const operationCommands: readonly Command[] = [retryOperation];
