import { createHash } from 'node:crypto';
import { canonicalJson } from '@chandlery/api';

/** Sixteen hexadecimal digits that identify a content, whatever the order of its fields. */
export const contentHash = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 16);
