import { createHash } from 'node:crypto';
import { validateDnsLabel } from '@chandlery/api';
import { globalTenant, type InternalCaller } from '@chandlery/brokers/kinds';

/** Labels and annotations of instance objects. */
export const offerNames = {
  /** Label: the hash of the instance's id. */
  instanceLabel: 'osb.chandlery.io/instance',
  serviceLabel: 'osb.chandlery.io/service',
  planLabel: 'osb.chandlery.io/plan',
  /** Annotation: the id itself, which may be longer than a label value and contain any character. */
  instanceAnnotation: 'osb.chandlery.io/instance-id',
  platformAnnotation: 'osb.chandlery.io/platform-id',
  /** Annotation: the requested parameters as JSON, without those of the plan. */
  parametersAnnotation: 'osb.chandlery.io/parameters',
  /** Annotation of a kind's definition or of a provider's configuration: its plans as JSON. */
  plansAnnotation: 'openmcp.cloud/plans',
} as const;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A UUID (version 8) derived from the parts. */
export function uuidOf(...parts: readonly string[]): string {
  const digits = hashOf(JSON.stringify(parts));
  const variant = ((Number.parseInt(digits.slice(16, 17), 16) & 3) | 8).toString(16);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-');
}

/** The name of an instance's object. */
export const objectNameOf = (instanceId: string): string => `osb-${hashOf(instanceId).slice(0, 20)}`;

/** The value of the label that identifies the object. */
export const instanceLabelOf = (instanceId: string): string => hashOf(instanceId).slice(0, 40);

/** The namespace of a caller's instances: that of its tenant, or, without one, a namespace of the platform. */
export function namespaceOf({ tenant, platformId }: InternalCaller): string {
  return isLandscape({ tenant }) ? platformNamespace(platformId) : tenant;
}

/** Whether a caller belongs to no tenant. */
export const isLandscape = ({ tenant }: Pick<InternalCaller, 'tenant'>): boolean => tenant === globalTenant;

function platformNamespace(platformId: string): string {
  const readable = `osb-${platformId}`;
  return validateDnsLabel(readable).length === 0 ? readable : `osb-${hashOf(platformId).slice(0, 40)}`;
}
