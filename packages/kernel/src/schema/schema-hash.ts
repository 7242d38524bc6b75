import { createHash } from 'node:crypto';
import { canonicalJson, type StructuralSchema } from '@chandlery/api';

/** Equal for schemas that say the same, in whatever order they say it. */
export const hashSchema = (schema: StructuralSchema): string =>
  createHash('sha256').update(canonicalJson(schema)).digest('base64url');
