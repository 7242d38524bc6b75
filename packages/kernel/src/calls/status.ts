import type { KubeObject } from '@chandlery/api';
import type { Target } from '../resources/request.ts';

/** The response to the deletion of an object that no longer exists. Its uid names the deleted incarnation. */
export function deletedStatus({ resource: { kind }, name }: Target, uid: string | undefined): KubeObject {
  const details = { name, kind: kind.plural, uid, ...(kind.group === '' ? {} : { group: kind.group }) };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details, code: 200 };
}

/** The response to a creation that stores no object of its own: a binding, an eviction. */
export const createdStatus = (): KubeObject => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
});
