import type { KubeObject } from '@chandlery/api';
import { isConditionTrue } from '@chandlery/runtime';
import type { ServiceObject } from '../definition/service-kind.ts';
import { sdkNames } from '../model/names.ts';
import { cleared } from '../reconcile/steps/give-back.ts';

/** Whether a deleted object left something behind: it was served, and its content was not removed. */
export function isLost(object: ServiceObject): boolean {
  const { resources = [], configGeneration } = object.status ?? {};
  return (resources.length > 0 || configGeneration !== undefined) && !isConditionTrue(object, cleared);
}

/** The decision about requests of an unknown deleted object. */
export type Decision = { readonly type: 'remove' } | { readonly type: 'report'; readonly message: string };

/** Removes what its policy deletes with the object. Anything else needs the decision of an operator. */
export function decideAbout(requests: readonly KubeObject[]): Decision {
  const policies = new Set(requests.map(({ metadata }) => metadata.annotations?.[sdkNames.policyAnnotation]));
  if (policies.size === 1 && policies.has('Delete')) return { type: 'remove' };
  const why = policies.has('Orphan')
    ? 'its services were to stay (deletionPolicy Orphan)'
    : 'it is not known whether its services were to stay';
  const message = `The object is deleted and ${why}; to have all of it removed, annotate the requests of the object with ${sdkNames.policyAnnotation}=Delete.`;
  return { type: 'report', message };
}
