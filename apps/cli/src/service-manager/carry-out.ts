import type { CommandContext } from '../command.ts';
import { formatValue } from '../output/print-object.ts';
import { type Mode, modeOf, printingOf, timeoutOf } from './flags.ts';
import { followOperation } from './follow-operation.ts';
import type { Method, SmClient, SmQuery } from './sm-client.ts';
import type { SmObject } from './sm-types.ts';

/** A change, and how it is told. */
export interface Change {
  readonly method: Exclude<Method, 'GET'>;
  readonly path: string;
  readonly query?: SmQuery;
  readonly body?: unknown;
  /** How it is done unless the command line says otherwise; undefined: as the service manager does it. */
  readonly mode?: Mode;
  /** What goes on in the background: `creation of the service instance "x"`. */
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
export async function carryOut(context: CommandContext, sm: SmClient, change: Change): Promise<Done | undefined> {
  const { method, path, body, query = [] } = change;
  const timeoutMs = timeoutOf(context.flags);
  const answer = await sm.send(path, {
    method,
    query: [...query, ...asyncQuery(context, change.mode)],
    ...(body === undefined ? {} : { body }),
    timeoutMs,
  });
  if (answer.location === undefined || answer.status !== 202) return { object: objectIn(answer.body) };
  if (!context.flags.isOn('wait')) {
    tellLocation(context, change.what, answer.location);
    return undefined;
  }
  await followOperation(sm, answer.location, { timeoutMs, progress: context.stderr });
  const resource = answer.location.replace(/\/operations\/[^/]*$/, '');
  return { object: method === 'DELETE' ? undefined : await sm.get(resource) };
}

/** Whoever follows the operation need not wait for the answer. */
function asyncQuery({ flags }: CommandContext, byDefault: Mode | undefined): SmQuery {
  if (byDefault === undefined) return [];
  const isLater = flags.isOn('wait') || modeOf(flags, byDefault) === 'async';
  return [['async', String(isLater)]];
}

const objectIn = (body: unknown): SmObject | undefined =>
  typeof (body as SmObject | null)?.id === 'string' ? (body as SmObject) : undefined;

function tellLocation({ stdout, flags }: CommandContext, what: string, location: string): void {
  const format = printingOf(flags);
  const story = `The ${what} has begun.\n  Next:  npx chandlery status ${location}\n`;
  stdout.write(format === 'table' ? story : formatValue({ operation: location }, format));
}
