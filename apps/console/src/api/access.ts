import { useLoaded } from '../ui/use-request.ts';
import { ApiFailure } from './api-failure.ts';
import { clusterPath, type KindAddress, type ObjectName } from './kinds.ts';
import { requestJson } from './request.ts';

interface AccessRequest extends Pick<KindAddress, 'group' | 'plural'>, Partial<ObjectName> {
  readonly cluster: string;
  readonly verb: string;
  /** Another value when another answer may be: the cluster is asked again. Default: it is asked once. */
  readonly at?: string;
}

interface AccessReview {
  readonly status?: { readonly allowed?: boolean; readonly reason?: string };
}

/** What a cluster says about a right. */
export interface Access {
  /** Whether the cluster has said it. */
  readonly isKnown: boolean;
  /** Why the signed-in user may not; undefined when they may, and until it is known. */
  readonly denial: string | undefined;
}

/** Why the signed-in user may not do something; undefined when they may, and until the cluster has said so. */
export const useDenial = (request: AccessRequest): string | undefined => useAccess(request).denial;

/** Whether the signed-in user may do something. Who is unknown to the cluster may not. */
export function useAccess({ cluster, verb, group, plural, namespace = '', name = '', at = '' }: AccessRequest): Access {
  const { value, error } = useLoaded(
    signal =>
      requestJson<AccessReview>(`${clusterPath(cluster)}/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`, {
        method: 'POST',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: { resourceAttributes: { verb, group, resource: plural, namespace, name } },
        },
        signal,
      }),
    [cluster, verb, group, plural, namespace, name, at],
  );
  const isStranger = error instanceof ApiFailure && [401, 403, 404].includes(error.status);
  if (value === undefined && !isStranger) return { isKnown: false, denial: undefined };
  if (value?.status?.allowed === true) return { isKnown: true, denial: undefined };
  const place = namespace === '' ? `cluster "${cluster}"` : `namespace "${namespace}" of cluster "${cluster}"`;
  return { isKnown: true, denial: `Your roles do not include the verb "${verb}" on ${plural} in ${place}` };
}
