import { formatYaml } from '@chandlery/client';

/** How documents are printed that are no objects: reports, answers. */
export const formats = ['table', 'json', 'yaml'] as const;
export type Format = (typeof formats)[number];

/** How objects and lists of them are printed. */
export const resultFormats = ['table', 'wide', 'json', 'yaml', 'name', 'jsonl'] as const;
export type ResultFormat = (typeof resultFormats)[number];

/** Whether a format is for people; others are for programs. */
export const isForPeople = (format: ResultFormat): boolean => format === 'table' || format === 'wide';

/** A value as JSON or YAML, with a line end. */
export const formatValue = (value: unknown, format: 'json' | 'yaml'): string =>
  format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : formatYaml(value);
