import {
  displayNameOf,
  type JsonPathBudget,
  jsonPathBudget,
  type KubeObject,
  type ObjectState,
  situationOf,
} from '@chandlery/api';
import { countingText, type Rank } from './rank.ts';

/** What is known of an object in memory: enough to count, sort and search it, in about a third of a kilobyte. */
export interface Entry {
  readonly namespace: string;
  readonly name: string;
  /** The name as it sorts: see {@link countingText}. */
  readonly sortName: string;
  readonly revision: number;
  readonly state: ObjectState;
  readonly createdAtMs: number;
  readonly changedAtMs: number;
  /** Name, namespace, given name and labels, each on a line of its own. */
  readonly text: string;
  /** What columns sort by; a column has its place in all entries of a collection. Filled in when a column is asked for. */
  readonly ranks: Rank[];
}

/** Where an object is. */
export type EntryKey = Pick<Entry, 'namespace' | 'name'>;

/** Reads what a column sorts by. `budget`: default, one of its own. */
export type RankReader = (object: KubeObject, budget?: JsonPathBudget) => Rank;

/** What columns show of long texts sorts by their beginning. */
const maxRankLength = 128;

/** A copy of the beginning of a text: a part of a string keeps the whole string in memory. */
const shortened = (rank: Rank): Rank =>
  typeof rank === 'string' ? Buffer.from(rank.slice(0, maxRankLength)).toString() : rank;

/** An entry without its texts, its place by key included. */
const bareBytes = 250;

/** About how much memory an entry takes. */
export const bytesOf = ({ name, text, ranks }: Entry): number =>
  bareBytes + 2 * name.length + text.length + ranks.reduce<number>((sum, rank) => sum + String(rank ?? '').length, 0);

/** What a column sorts an object by, as entries keep it. */
export const rankOf = (read: RankReader, object: KubeObject, budget?: JsonPathBudget): Rank =>
  shortened(read(object, budget));

/** The entry of an object. */
export function entryOf(
  { namespace, name }: EntryKey,
  object: KubeObject,
  { revision, readers }: { readonly revision: number; readonly readers: readonly RankReader[] },
): Entry {
  // A kind has as many columns as its tenant likes.
  const budget = jsonPathBudget();
  return {
    namespace,
    name,
    sortName: countingText(name),
    revision,
    state: situationOf(object).state,
    createdAtMs: Date.parse(object.metadata.creationTimestamp ?? '') || 0,
    changedAtMs: Date.parse(changedAtOf(object)) || 0,
    text: linesOf({ namespace, name }, object),
    ranks: readers.map(read => rankOf(read, object, budget)),
  };
}

/** The time of the last change: field owners keep it; objects without them were changed when they were created. */
export const changedAtOf = ({ metadata: { creationTimestamp = '', managedFields = [] } }: KubeObject): string =>
  managedFields.reduce((latest, { time = '' }) => (time > latest ? time : latest), creationTimestamp);

/** Lines before those of labels. */
const headLines = 3;
/** Of names that people give, which a kind may let be of any length. */
const maxGivenLength = 253;

function linesOf({ namespace, name }: EntryKey, object: KubeObject): string {
  const { labels = {} } = object.metadata;
  const given = (displayNameOf(object) ?? '').slice(0, maxGivenLength).replaceAll('\n', ' ');
  return [name, namespace, given, ...Object.entries(labels).map(([key, value]) => `${key}=${value}`)].join('\n');
}

/** The labels of an entry. */
export function labelsOf({ text }: Entry): Readonly<Record<string, string>> {
  const pairs = text.split('\n').slice(headLines);
  return Object.fromEntries(pairs.map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

/** Whether a text is part of a line of an entry, in any letter case. Undefined: every text has it. */
export function textMatcher(wanted: string): ((entry: Entry) => boolean) | undefined {
  const text = wanted.trim();
  if (text === '') return undefined;
  if (text.includes('\n')) return () => false;
  const pattern = new RegExp(RegExp.escape(text), 'i');
  return entry => pattern.test(entry.text);
}

/**
 * How well the names of an entry fit a text, in any letter case: 0 when one is the text, 1 when one begins with it, 2 when it
 * is part of one, 3 when something else has it. Every name fits the empty text.
 */
export function nameFit(wanted: string): (entry: Pick<Entry, 'name' | 'text'>) => number {
  const text = wanted.trim().toLowerCase();
  if (text === '') return () => 0;
  return ({ name, text: lines }) => {
    const given = lines.split('\n', headLines)[headLines - 1] ?? '';
    return Math.min(fitOf(name.toLowerCase(), text), fitOf(given.toLowerCase(), text));
  };
}

function fitOf(name: string, text: string): number {
  if (name === text) return 0;
  if (name.startsWith(text)) return 1;
  return name.includes(text) ? 2 : 3;
}
