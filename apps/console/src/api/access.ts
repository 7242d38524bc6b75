import { useLoaded } from '../ui/use-request.ts';
import { clusterPath, type KindAddress, type ObjectName } from './kinds.ts';
import { requestJson } from './request.ts';

interface AccessRequest extends Pick<KindAddress, 'group' | 'plural'>, Partial<ObjectName> {
  readonly cluster: string;
  readonly verb: string;
}

interface AccessReview {
  readonly status?: { readonly allowed?: boolean; readonly reason?: string };
}

/** Why the signed-in user may not do something; undefined when they may, and until the cluster has said so. */
export function useDenial({ cluster, verb, group, plural, namespace = '', name = '' }: AccessRequest) {
  const { value } = useLoaded(
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
    [cluster, verb, group, plural, namespace, name],
  );
  if (value === undefined || value.status?.allowed === true) return undefined;
  const place = namespace === '' ? `cluster "${cluster}"` : `namespace "${namespace}" of cluster "${cluster}"`;
  return `Your roles do not include the verb "${verb}" on ${plural} in ${place}`;
}
