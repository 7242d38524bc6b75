import { parseJson } from '@chandlery/api';
import { stringify } from 'yaml';

/** Writing YAML takes fifty times as long as writing JSON, and blocks other requests. */
const maxBlockBytes = 32 * 1024;

/** Whether JSON is left as it is where YAML is asked for: JSON is YAML, and this much takes too long to rewrite. */
export const isLongForYaml = (json: Buffer): boolean => json.length > maxBlockBytes;

/** JSON as YAML: in block style, or as it is when it is long. */
export const jsonToYaml = (json: Buffer): Buffer =>
  isLongForYaml(json) ? json : Buffer.from(stringify(parseJson(json.toString())));
