import { apiError, type JsonValue, type KubeObject } from '@chandlery/api';
import { bindPod } from '../resources/bind-pod.ts';
import { evictPod } from '../resources/evict-pod.ts';
import type { ResourceDeps, Target, WriteOptions } from '../resources/request.ts';
import { asKubeObject } from '../resources/shape.ts';
import { requestToken } from '../resources/token-request.ts';
import { createdStatus } from './status.ts';

/** Handles a creation on a sub-resource: the binding or eviction of a pod, a token of a service account. */
export async function createSubresource(
  deps: ResourceDeps,
  { target, subresource }: { readonly target: Target; readonly subresource: string },
  write: WriteOptions,
  body: JsonValue,
): Promise<KubeObject> {
  switch (`${target.resource.kind.resource}/${subresource}`) {
    case '/pods/binding':
      await bindPod(deps, target, write, asKubeObject(body, { apiVersion: 'v1', kind: 'Binding' }));
      return createdStatus();
    case '/pods/eviction':
      await evictPod(deps, target, write, asKubeObject(body, { apiVersion: 'policy/v1', kind: 'Eviction' }));
      return createdStatus();
    case '/serviceaccounts/token': {
      const type = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' };
      return requestToken(deps, target, asKubeObject(body, type));
    }
    default:
      throw apiError('NotFound', `the server could not find the requested sub-resource "${subresource}"`);
  }
}
