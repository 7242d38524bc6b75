import { createHash } from 'node:crypto';

/** The name of the Secret that belongs to a row. Ids that cannot be part of such a name are shortened to a hash. */
export function secretNameOf(prefix: string, id: string): string {
  const isPlain = id.length <= 200 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(id) && !/[.-]\.|\.-/.test(id);
  return `${prefix}-${isPlain ? id : createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}
