import { stringify } from 'yaml';

/** A value as YAML, with a line end; long texts stay on one line. */
export const formatYaml = (value: unknown): string => stringify(value, { lineWidth: 0 });
