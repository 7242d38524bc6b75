import type { KubeObject } from '@chandlery/api';
import { shorten } from '@chandlery/clusters/kinds';
import { type AccessRecord, formerObjectOf, providerNames, retainedNames } from '../kinds/index.ts';
import type { Admission } from './admit-tenant.ts';

/** A write or deletion of a request or an access record on the platform cluster by a provider's own account. */
export interface RequestWrite {
  /** The object to be stored; undefined for a deletion. */
  readonly object: KubeObject | undefined;
  /** The stored object; undefined for a creation. */
  readonly live: KubeObject | undefined;
  /** The provider of the account. */
  readonly provider: string;
}

/**
 * Admits writes of ClusterRequests, AccessRequests and AccessRecords: each provider may write its own. RBAC cannot
 * express that, because it knows kind and namespace only. Objects without the label are left to RBAC, since a provider
 * need not label its requests.
 */
export function admitRequest({ object, live, provider }: RequestWrite): Admission<KubeObject> {
  const foreign = [live, object].find(state => state !== undefined && !isOpenTo(state, provider));
  const subject = (object ?? live) as KubeObject;
  if (foreign === undefined) return { type: 'allow', object: subject };
  const message = `it belongs to ${holderOf(foreign)}; the account of provider "${provider}" touches its own alone`;
  return { type: 'deny', message };
}

/** Whether an object belongs to the provider, or has no owner. */
function isOpenTo(object: KubeObject, provider: string): boolean {
  const { labels = {}, annotations = {} } = object.metadata;
  const manager = labels[providerNames.managedByLabel];
  if (manager !== undefined && manager !== shorten(provider)) return false;
  const former = annotations[retainedNames.formerObjectAnnotation];
  if (former !== undefined && !former.startsWith(formerObjectOf(provider, ''))) return false;
  const recorded = recordedProvider(object);
  return recorded === undefined || recorded === provider;
}

const recordedProvider = (object: KubeObject): string | undefined =>
  object.kind === 'AccessRecord' ? (object as AccessRecord).spec.provider : undefined;

function holderOf(object: KubeObject): string {
  const { labels = {}, annotations = {} } = object.metadata;
  const former = annotations[retainedNames.formerObjectAnnotation]?.split('/')[0];
  return `"${recordedProvider(object) ?? labels[providerNames.managedByLabel] ?? former ?? ''}"`;
}
