import type { KubeObject } from '@chandlery/api';
import { retainedNames } from '../../kinds/index.ts';

/** Where objects of a kind are served. */
export interface KeptKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** What an AccessRequest says about the kinds that were left on its cluster: `deployments.v1.apps,secrets.v1.`. */
export const keptKindsOf = ({ metadata }: KubeObject): readonly KeptKind[] =>
  (metadata.annotations?.[retainedNames.keptKindsAnnotation] ?? '')
    .split(',')
    .filter(text => text !== '')
    .map(text => {
      const [plural = '', version = '', ...group] = text.split('.');
      return { plural, version, group: group.join('.') };
    });

/** What becomes of an object when a retained service ends. */
export type Fate = 'delete' | 'leave' | 'keep';

export interface Ending {
  /** Value of the annotation that names the former order. */
  readonly formerObject: string;
  /** The annotation by which the service uses an object together with others. */
  readonly userAnnotation: string;
}

/** Others' objects are kept; of those that others use as well only our mark goes. */
export function fateOf({ metadata: { annotations = {} } }: KubeObject, { formerObject, userAnnotation }: Ending): Fate {
  const users = Object.keys(annotations).filter(name => name.startsWith(retainedNames.userAnnotationPrefix));
  if (users.includes(userAnnotation)) return users.length > 1 ? 'leave' : 'delete';
  return annotations[retainedNames.formerObjectAnnotation] === formerObject && users.length === 0 ? 'delete' : 'keep';
}
