import type { KubeObject } from '@chandlery/api';
import { retainedNames } from '../../kinds/index.ts';

/** The collection of a kind. */
export interface KeptKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** The kinds of the objects on the cluster of an AccessRequest: `deployments.v1.apps,secrets.v1.`. */
export const keptKindsOf = ({ metadata }: KubeObject): readonly KeptKind[] =>
  (metadata.annotations?.[retainedNames.keptKindsAnnotation] ?? '')
    .split(',')
    .filter(text => text !== '')
    .map(text => {
      const [plural = '', version = '', ...group] = text.split('.');
      return { plural, version, group: group.join('.') };
    });

/** What happens to an object when a retained service ends. */
export type Fate = 'delete' | 'leave' | 'keep';

export interface Ending {
  /** The value of the annotation that names the former service object. */
  readonly formerObject: string;
  /** The annotation by which the service shares an object with others. */
  readonly userAnnotation: string;
}

/** Objects of others are kept; from shared objects only our annotation is removed. */
export function fateOf({ metadata: { annotations = {} } }: KubeObject, { formerObject, userAnnotation }: Ending): Fate {
  const users = Object.keys(annotations).filter(name => name.startsWith(retainedNames.userAnnotationPrefix));
  if (users.includes(userAnnotation)) return users.length > 1 ? 'leave' : 'delete';
  return annotations[retainedNames.formerObjectAnnotation] === formerObject && users.length === 0 ? 'delete' : 'keep';
}
