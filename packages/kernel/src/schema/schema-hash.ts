import { createHash } from 'node:crypto';
import type { StructuralSchema } from '@chandlery/api';
import { canonicalJson } from './json.ts';

/** Equal for schemas that say the same, in whatever order they say it. */
export const hashSchema = (schema: StructuralSchema): string =>
  createHash('sha256').update(canonicalJson(schema)).digest('base64url');
