import { isError } from '@chandlery/api';
import type { CommandContext } from '../command.ts';
import { confirm } from '../output/confirm.ts';
import { formatValue } from '../output/print-object.ts';
import { type Mode, printingOf } from './flags.ts';
import { sendChange } from './send-change.ts';
import type { SmClient, SmQuery } from './sm-client.ts';
import { pathOf, type SmKind } from './sm-kinds.ts';
import type { SmObject } from './sm-types.ts';

/** What is to be deleted. */
export interface Removal {
  readonly kind: SmKind;
  /** What people call it. */
  readonly name: string;
  readonly find: () => Promise<SmObject>;
  readonly query?: SmQuery;
  /** Default: as the service manager does it. */
  readonly mode?: Mode;
  /** What else goes with it, for the question. */
  readonly consequence?: string;
}

/** Asks for confirmation, deletes, and prints the result. Returns the exit code. */
export async function remove(context: CommandContext, sm: SmClient, removal: Removal): Promise<number> {
  const { kind, name, query, mode, consequence = '' } = removal;
  try {
    const object = await removal.find();
    await confirm(context, `Delete the ${kind.noun} "${name}" (${object.id})${consequence}?`);
    const done = await sendChange(context, sm, {
      method: 'DELETE',
      path: pathOf(kind, object.id),
      what: `deletion of the ${kind.noun} "${name}"`,
      ...(query === undefined ? {} : { query }),
      ...(mode === undefined ? {} : { mode }),
    });
    if (done !== undefined) printResult(context, `The ${kind.noun} "${name}" is deleted.`, { deleted: object.id });
  } catch (thrown) {
    if (!context.flags.isOn('ignore-missing') || !isError(thrown, 'NotFound')) throw thrown;
    printResult(context, `There is no ${kind.noun} "${name}".`, {});
  }
  return 0;
}

function printResult({ stdout, flags }: CommandContext, sentence: string, document: object): void {
  const format = printingOf(flags);
  stdout.write(format === 'table' ? `${sentence}\n` : formatValue(document, format));
}
