import type { KubeObject } from '@chandlery/api';

/**
 * The objects that the tests write: ConfigMaps that count how often they were changed. A name's steps continue over
 * deletion and re-creation, so a lost, doubled or reordered change shows as a gap to every reader.
 */
export interface StepObject extends KubeObject {
  data: { readonly step: string; readonly filling?: string };
}

/** Labelled by the parity of the step, so that each change makes the object enter or leave a selection. */
export function stepObject(name: string, step: number, resourceVersion?: string): StepObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      labels: { parity: parityOf(step) },
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    data: { step: String(step) },
  };
}

export const parityOf = (step: number): 'even' | 'odd' => (step % 2 === 0 ? 'even' : 'odd');

/** The step of an object; NaN for objects that are not ours, such as the root certificate of a namespace. */
export const stepOf = (object: KubeObject): number => Number((object as Partial<StepObject>).data?.step);

export const revisionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion);
