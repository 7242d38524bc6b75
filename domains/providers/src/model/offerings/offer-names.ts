import { createHash } from 'node:crypto';

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
  /** Label of objects that tenants made: the id of the instance that they are, which is their uid. Put back when it is removed. */
  ownInstanceLabel: 'catalogue.chandlery.io/instance',
  /** Label of objects that tenants made: their plan. */
  ownPlanLabel: 'catalogue.chandlery.io/plan',
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
