import { toError } from '@chandlery/api/errors';
import { damagedStore, unavailable } from '../store-errors.ts';
import type { WireFailure } from './wire.ts';

/** SQLite's primary result codes for trouble of the machine rather than of the request. */
const reasons: ReadonlyMap<number, string> = new Map([
  [5, 'another process has locked the database'],
  [6, 'another process has locked the database'],
  [7, 'the machine is out of memory'],
  [8, 'the data folder is read-only'],
  [10, 'the disk that holds the data folder reports an error'],
  [13, 'the disk that holds the data folder is full; it works again as soon as there is room'],
  [14, 'the database file cannot be opened'],
  [15, 'another process has locked the database'],
]);

const primaryCode = (thrown: unknown): number | undefined => {
  const code = thrown instanceof Error && 'errcode' in thrown ? thrown.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
};

/** After such an error the state of the connection is unknown, so a new one is opened. */
export const needsNewConnection = (thrown: unknown): boolean => [10, 14, 26].includes(primaryCode(thrown) ?? 0);

/** Whether the trouble is the machine's, so that trying again later may help. */
export const isMachineTrouble = (thrown: unknown): boolean => reasons.has(primaryCode(thrown) ?? -1);

/** SQLite's codes for a file that is not what SQLite wrote. */
const damageCodes = [11, 26];

/** The statements are fixed, so tables that lack what they name were damaged: SQLite reports it as a wrong statement. */
const foreignSchema = /no such (?:table|column|index)|has no column named/;
const wrongStatement = 1;

/** Whether SQLite has found the file damaged. */
export function isDamage(thrown: unknown): boolean {
  const code = primaryCode(thrown) ?? 0;
  if (damageCodes.includes(code)) return true;
  return code === wrongStatement && thrown instanceof Error && foreignSchema.test(thrown.message);
}

/** Converts anything thrown while using SQLite. */
export function sqliteError(thrown: unknown): Error {
  if (isDamage(thrown)) return damagedStore(`SQLite cannot read the database (${(thrown as Error).message})`, thrown);
  const reason = reasons.get(primaryCode(thrown) ?? -1);
  return reason === undefined ? toError(thrown) : unavailable(`${reason} (${(thrown as Error).message})`, thrown);
}

/** The same, in the form that travels between threads. */
export function wireFailure(thrown: unknown): WireFailure {
  const { code, message, details } = toError(sqliteError(thrown));
  return { code, message, details };
}
