import type { CommandContext } from '../command.ts';
import { type Mode, modeOf, printingOf, timeoutOf } from './flags.ts';
import { followOperation } from './follow-operation.ts';
import { printDone } from './print.ts';
import type { Method, SmClient, SmQuery } from './sm-client.ts';
import type { SmObject } from './sm-types.ts';

/** A change and how its result is printed. */
export interface Change {
  readonly method: Exclude<Method, 'GET'>;
  readonly path: string;
  readonly query?: SmQuery;
  readonly body?: unknown;
  /** How it is done unless the command line says otherwise; undefined: as the service manager does it. */
  readonly mode?: Mode;
  /** The subject of progress messages: `creation of the service instance "x"`. */
  readonly what: string;
}

/** A change that is done, with the resource as it is now; nothing is left of what was deleted. */
export interface Done {
  readonly object: SmObject | undefined;
}

/**
 * Carries out a change as the flags say: waits for the answer, or follows the operation. Answers undefined when it goes
 * on in the background; it has been said how to follow it then.
 */
export async function sendChange(context: CommandContext, sm: SmClient, change: Change): Promise<Done | undefined> {
  const { method, path, body, query = [] } = change;
  const timeoutMs = timeoutOf(context.flags);
  const response = await sm.send(path, {
    method,
    query: [...query, ...asyncQuery(context, change.mode)],
    ...(body === undefined ? {} : { body }),
    timeoutMs,
  });
  if (response.location === undefined || response.status !== 202) return { object: objectIn(response.body) };
  if (!context.flags.isOn('wait')) {
    printLocation(context, change.what, response.location);
    return undefined;
  }
  await followOperation(sm, response.location, { timeoutMs, progress: context.stderr });
  const resource = response.location.replace(/\/operations\/[^/]*$/, '');
  return { object: method === 'DELETE' ? undefined : await sm.get(resource) };
}

/** Following the operation does not need a synchronous response. */
function asyncQuery({ flags }: CommandContext, byDefault: Mode | undefined): SmQuery {
  if (byDefault === undefined) return [];
  const isLater = flags.isOn('wait') || modeOf(flags, byDefault) === 'async';
  return [['async', String(isLater)]];
}

const objectIn = (body: unknown): SmObject | undefined =>
  typeof (body as SmObject | null)?.id === 'string' ? (body as SmObject) : undefined;

function printLocation(context: CommandContext, what: string, location: string): void {
  const isName = printingOf(context.flags) === 'name';
  const message = `The ${what} has begun.\n  Next:  npx chandlery operation get ${location}\n`;
  printDone(context, isName ? `${location}\n` : message, { operation: location });
}
