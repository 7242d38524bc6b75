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
  /** Annotation: the parameters as JSON, apart from what comes from the plan. */
  parametersAnnotation: 'osb.chandlery.io/parameters',
  /** Annotation of a kind's definition or of a provider's configuration: its plans as JSON. */
  plansAnnotation: 'openmcp.cloud/plans',
} as const;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A UUID (version 8) that follows from the parts. */
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

/** The name of the object that stands for an instance. */
export const objectNameOf = (instanceId: string): string => `osb-${hashOf(instanceId).slice(0, 20)}`;

/** The value of the label by which the object is found. */
export const instanceLabelOf = (instanceId: string): string => hashOf(instanceId).slice(0, 40);

/** Where the instances of a caller live: with its tenant, or, without one, in a namespace of the platform's own. */
export function namespaceOf({ tenant, platformId }: InternalCaller): string {
  return isLandscape({ tenant }) ? platformNamespace(platformId) : tenant;
}

/** Whether a caller belongs to no tenant. */
export const isLandscape = ({ tenant }: Pick<InternalCaller, 'tenant'>): boolean => tenant === globalTenant;

function platformNamespace(platformId: string): string {
  const readable = `osb-${platformId}`;
  return validateDnsLabel(readable).length === 0 ? readable : `osb-${hashOf(platformId).slice(0, 40)}`;
}
