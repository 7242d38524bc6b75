import { createHash } from 'node:crypto';
import { validateDnsLabel } from '@chandlery/api';
import { globalTenant } from './common.ts';
import type { InternalCaller } from './internal-broker.ts';

/** Whether a caller belongs to no tenant. */
export const isLandscape = ({ tenant }: Pick<InternalCaller, 'tenant'>): boolean => tenant === globalTenant;

/** The namespace of a caller's instances: that of its tenant, or, without one, a namespace of the platform. */
export const tenantNamespaceOf = ({ tenant, platformId }: Pick<InternalCaller, 'tenant' | 'platformId'>): string =>
  isLandscape({ tenant }) ? platformNamespace(platformId) : tenant;

function platformNamespace(platformId: string): string {
  const readable = `osb-${platformId}`;
  if (validateDnsLabel(readable).length === 0) return readable;
  return `osb-${createHash('sha256').update(platformId).digest('hex').slice(0, 40)}`;
}
