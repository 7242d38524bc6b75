import type { KubeObject } from '@chandlery/api';
import { landscapeGroups } from '../model/operator/own-kinds.ts';
import type { User } from '../model/tenants/members.ts';
import type { Admission } from './admit-tenant.ts';

/** A write of an object that may have finalizers of a provider or of the landscape. */
export interface HeldWrite {
  /** The object to be stored. Not changed. */
  readonly object: KubeObject;
  /** The stored object; undefined for a creation. */
  readonly live: KubeObject | undefined;
  readonly user: User;
  /** The provider of the object's kind; undefined for kinds of the landscape and of Kubernetes. */
  readonly provider?: KindOwner | undefined;
}

/** The provider of a kind, as far as finalizers are concerned. */
export interface KindOwner {
  /** The name in messages. */
  readonly name: string;
  /** The group of the kind: finalizers of this domain belong to the provider. */
  readonly group: string;
  /** Further finalizers of the provider, as the annotation of the definition declares them. Default none. */
  readonly finalizers?: readonly string[];
}

/** The landscape itself and its operators. */
const masters = 'system:masters';
/** The group of accounts that AccessRequests create for providers; no other client can create such accounts. */
export const grantedAccounts = 'system:serviceaccounts:openmcp-access';
/** Domains of the landscape for kinds that are not custom resources. */
const ownDomains = ['chandlery.io', 'openmcp.cloud', 'open-control-plane.io'];

/**
 * Admits a write that adds or removes finalizers. Those of a provider and of the landscape stand for pending work, so
 * that only their owner may change them. Other clients may have finalizers of their own.
 */
export function admitFinalizers({ object, live, user, provider }: HeldWrite): Admission<KubeObject> {
  const changed = changedFinalizers(object, live);
  if (changed.length === 0 || user.groups.includes(masters)) return { type: 'allow', object };
  if (provider !== undefined && user.groups.includes(grantedAccounts)) return { type: 'allow', object };
  const ofProvider = provider && changed.find(finalizer => isOfProvider(finalizer, provider));
  if (ofProvider !== undefined)
    return { type: 'deny', message: keptBy(ofProvider, `the provider "${provider?.name}"`, object) };
  const ofLandscape = changed.find(isOfLandscape);
  return ofLandscape === undefined
    ? { type: 'allow', object }
    : { type: 'deny', message: keptBy(ofLandscape, 'the landscape', object) };
}

/** Whether a write adds or removes finalizers. */
export const hasFinalizerChange = (object: KubeObject, live: KubeObject | undefined): boolean =>
  changedFinalizers(object, live).length > 0;

/** Finalizers of metadata, and those of a namespace's spec, that a write adds or removes; sorted. */
function changedFinalizers(object: KubeObject, live: KubeObject | undefined): readonly string[] {
  // A namespace is created with the finalizers of its spec.
  if (live === undefined) return [...(object.metadata.finalizers ?? [])].sort();
  const [now, before] = [finalizersOf(object), finalizersOf(live)];
  return [...new Set(now).symmetricDifference(new Set(before))].sort();
}

function finalizersOf({ kind, metadata: { finalizers = [] }, ...rest }: KubeObject): readonly string[] {
  if (kind !== 'Namespace') return finalizers;
  const { finalizers: ofSpec = [] } = (rest['spec'] ?? {}) as { finalizers?: readonly string[] };
  return [...finalizers, ...ofSpec.map(finalizer => `${specPrefix}${finalizer}`)];
}

/** Distinguishes finalizers of a namespace's spec, which always belong to the landscape. */
const specPrefix = 'spec.finalizers/';

const isOfProvider = (finalizer: string, { group, finalizers = [] }: KindOwner): boolean =>
  isWithin(domainOf(finalizer), group) || finalizers.includes(finalizer);

const isOfLandscape = (finalizer: string): boolean =>
  finalizer.startsWith(specPrefix) ||
  landscapeGroups.has(domainOf(finalizer)) ||
  ownDomains.some(domain => isWithin(domainOf(finalizer), domain));

const domainOf = (finalizer: string): string => finalizer.split('/', 1)[0] ?? '';

const isWithin = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);

function keptBy(
  finalizer: string,
  keeper: string,
  { kind, metadata: { name, deletionTimestamp } }: KubeObject,
): string {
  const shown = finalizer.startsWith(specPrefix) ? finalizer.slice(specPrefix.length) : finalizer;
  const next =
    deletionTimestamp === undefined
      ? 'leave it out, and delete the object if it is no longer wanted'
      : `the conditions of ${kind} "${name}" say what its deletion waits for; ask the operator of the landscape if that cannot be resolved`;
  return `the finalizer "${shown}" is set and removed by ${keeper} alone, which takes away first what the object stands for; ${next}`;
}
