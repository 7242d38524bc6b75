import type { KubeObject } from '@chandlery/api';
import { shorten } from '@chandlery/clusters/kinds';
import { type AccessRecord, formerObjectOf, providerNames, retainedNames } from '../kinds/index.ts';
import type { Admission } from './admit-tenant.ts';

/** A write or deletion, by a provider's own account, of a request or of a record of access on the platform cluster. */
export interface RequestWrite {
  /** As it is about to be stored; undefined when it is deleted. */
  readonly object: KubeObject | undefined;
  /** As it is stored; undefined when it is created. */
  readonly live: KubeObject | undefined;
  /** The provider whose account writes. */
  readonly provider: string;
}

/**
 * Decides who touches ClusterRequests, AccessRequests and AccessRecords: each provider its own. RBAC can only tell the
 * kind and the namespace. What bears nobody's label is left to RBAC, since a provider need not label its requests.
 */
export function admitRequest({ object, live, provider }: RequestWrite): Admission<KubeObject> {
  const foreign = [live, object].find(state => state !== undefined && !isOpenTo(state, provider));
  const subject = (object ?? live) as KubeObject;
  if (foreign === undefined) return { type: 'allow', object: subject };
  const message = `it belongs to ${holderOf(foreign)}; the account of provider "${provider}" touches its own alone`;
  return { type: 'deny', message };
}

/** Whether an object is the provider's own, or nobody's. */
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
