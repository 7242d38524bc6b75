import { formatYaml } from '@chandlery/client';

/** How results can be printed. */
export const formats = ['table', 'json', 'yaml'] as const;
export type Format = (typeof formats)[number];

/** A value as JSON or YAML, with a line end. */
export const formatValue = (value: unknown, format: 'json' | 'yaml'): string =>
  format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : formatYaml(value);
