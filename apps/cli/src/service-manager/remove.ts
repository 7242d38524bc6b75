import { isError } from '@chandlery/api';
import type { CommandContext } from '../command.ts';
import { confirmDeletion } from '../output/confirm.ts';
import type { Mode } from './flags.ts';
import { printDone } from './print.ts';
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
  /** What else goes with it, a line each. Default: nothing. */
  readonly goesWith?: (object: SmObject) => Promise<readonly string[]>;
}

/** Asks for confirmation, deletes, and prints the result. Returns the exit code. */
export async function remove(context: CommandContext, sm: SmClient, removal: Removal): Promise<number> {
  const { kind, name, query, mode, goesWith } = removal;
  try {
    const object = await removal.find();
    await confirmDeletion(context, {
      what: `the ${kind.noun} "${name}"${name === object.id ? '' : ` (${object.id})`}`,
      expected: name,
      ...(goesWith === undefined ? {} : { goesWith: () => goesWith(object) }),
    });
    const done = await sendChange(context, sm, {
      method: 'DELETE',
      path: pathOf(kind, object.id),
      what: `deletion of the ${kind.noun} "${name}"`,
      ...(query === undefined ? {} : { query }),
      ...(mode === undefined ? {} : { mode }),
    });
    if (done !== undefined) printDone(context, `The ${kind.noun} "${name}" is deleted.\n`, { deleted: object.id });
  } catch (thrown) {
    if (!context.flags.isOn('ignore-missing') || !isError(thrown, 'NotFound')) throw thrown;
    printDone(context, `There is no ${kind.noun} "${name}".\n`, {});
  }
  return 0;
}
