import { apiError, type JsonValue, type KubeObject } from '@chandlery/api';
import { bindPod } from '../resources/bind-pod.ts';
import { evictPod } from '../resources/evict-pod.ts';
import type { ResourceNeeds, Target, WriteOptions } from '../resources/request.ts';
import { asKubeObject } from '../resources/shape.ts';
import { requestToken } from '../resources/token-request.ts';

/** Creates what only exists below an object: decisions about pods, tokens. */
export async function createBelow(
  needs: ResourceNeeds,
  place: { readonly target: Target; readonly subresource: string },
  write: WriteOptions,
  body: JsonValue,
): Promise<KubeObject> {
  const { target, subresource } = place;
  switch (`${target.resource.kind.resource}/${subresource}`) {
    case '/pods/binding':
      await bindPod(needs, target, write, asKubeObject(body, { apiVersion: 'v1', kind: 'Binding' }));
      return created();
    case '/pods/eviction':
      await evictPod(needs, target, write, asKubeObject(body, { apiVersion: 'policy/v1', kind: 'Eviction' }));
      return created();
    case '/serviceaccounts/token':
      return requestToken(
        needs,
        target,
        asKubeObject(body, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' }),
      );
    default:
      throw notServed(subresource);
  }
}

const created = (): KubeObject => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
});

const notServed = (subresource: string): Error =>
  apiError('NotFound', `the sub-resource "${subresource}" is not served in process`);
