import type { QuotaLine } from '../../model/quota-lines.ts';

/** A line of quota as operators and organisations see it. */
export const presentQuota = (product: string, { users, limit, ...line }: QuotaLine): object => ({
  kind: 'Quota',
  product,
  ...line,
  limit: limit ?? null,
  ...(users === undefined ? {} : { users }),
});
