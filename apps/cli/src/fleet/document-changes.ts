import { isDeepStrictEqual } from 'node:util';

/** One difference between two documents. */
export interface DocumentChange {
  /** `settings.max_allowed_instances`. */
  readonly path: string;
  readonly type: 'added' | 'removed' | 'changed';
  /** Both values as JSON, where they are short. */
  readonly text?: string;
}

type Document = Readonly<Record<string, unknown>>;

/** Longer values are not shown: the document has them. */
const maxValueLength = 40;

/** Lists what differs, section by section: objects are compared field by field, lists as a whole. */
export function documentChanges(before: Document, after: Document, path = ''): readonly DocumentChange[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return keys.flatMap(key => changesAt(before[key], after[key], path === '' ? key : `${path}.${key}`));
}

function changesAt(before: unknown, after: unknown, path: string): readonly DocumentChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (isObject(before) && isObject(after)) return documentChanges(before, after, path);
  if (before === undefined) return [{ path, type: 'added', ...shown([after], ([value]) => value ?? '') }];
  if (after === undefined) return [{ path, type: 'removed' }];
  return [{ path, type: 'changed', ...shown([before, after], ([from, to]) => `${from} -> ${to}`) }];
}

function shown(values: readonly unknown[], join: (texts: readonly string[]) => string): { readonly text?: string } {
  const texts = values.map(value => JSON.stringify(value));
  return texts.every(text => text.length <= maxValueLength) ? { text: join(texts) } : {};
}

const isObject = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const marks = { added: '+', removed: '-', changed: '~' } as const;

/** A line for each change. */
export const formatChanges = (changes: readonly DocumentChange[]): string =>
  changes.map(({ path, type, text }) => `  ${marks[type]} ${path}${text === undefined ? '' : `: ${text}`}\n`).join('');
