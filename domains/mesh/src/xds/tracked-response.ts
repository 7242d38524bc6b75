import { hash } from 'node:crypto';
import { type EncodedResource, isWholeSet } from '../model/resource.ts';
import { isKnown, namedResponse, nameList } from './named-response.ts';
import type { NextResponse, ResponseDeps } from './response-deps.ts';
import { emptySnapshot, type Snapshot } from './snapshot-cache.ts';
import type { TypeSubscription } from './type-subscription.ts';

/** The transition from the client's snapshot to the current one. */
interface Step {
  readonly snapshot: Snapshot;
  /** Added or changed resources. */
  readonly changed: readonly EncodedResource[];
  /** Resources that are removed from the client. */
  readonly removed: readonly EncodedResource[];
  /** Whether this is the first response, or the first after a new wildcard subscription. */
  readonly isFirst: boolean;
}

/** The response of a tracked subscription: the difference to the client's snapshot. */
export function trackedResponse(subscription: TypeSubscription, deps: ResponseDeps): NextResponse | undefined {
  const step = nextStep(subscription, deps);
  if (deps.mode === 'delta') return difference(subscription, step, deps);
  return isWholeSet(subscription.type) ? wholeSet(subscription, step, deps) : part(subscription, step, deps);
}

/**
 * Computes the transition and applies it to the subscription: the client is then assumed to have the new snapshot and the
 * retained resources.
 */
function nextStep(subscription: TypeSubscription, { snapshots, keepsClusters }: ResponseDeps): Step {
  const snapshot = snapshots.take(subscription);
  const { changed, removed } = snapshots.compare(subscription.snapshot ?? emptySnapshot, snapshot);
  const outlived = subscription.retained.values().filter(({ name }) => !snapshot.resources.has(name));
  const lost = [...removed, ...outlived].filter(({ name }) => subscription.covers(name));
  const isKept = keepsClusters && subscription.type === 'cluster';
  const isFirst = subscription.snapshot === undefined;
  subscription.snapshot = snapshot;
  subscription.retain(isKept ? lost : []);
  return { snapshot, changed, removed: isKept ? [] : lost, isFirst };
}

/** The whole set in every response: the client deletes resources that are left out. */
function wholeSet(subscription: TypeSubscription, step: Step, { view, share }: ResponseDeps): NextResponse | undefined {
  const isChanged = subscription.isRequested || step.changed.length > 0 || step.removed.length > 0;
  if (!isChanged || !subscription.isSubscribed) return undefined;
  const { type, retained } = subscription;
  const kept = retained.size === 0 ? '' : `+${retainedVersion(retained)}`;
  const response = share(`whole ${step.snapshot.id}${kept}`, () => {
    const resources = retained.size === 0 ? step.snapshot.resources : sorted([...step.snapshot.resources, ...retained]);
    return { mode: 'sotw', type, version: view.version(type) + kept, resources, removed: [] };
  });
  return { response, updatedNames: step.changed.map(({ name }) => name) };
}

const retainedVersion = (retained: ReadonlyMap<string, EncodedResource>): string =>
  hash(
    'sha256',
    Array.from(retained.values(), ({ name, version }) => `${name} ${version}\n`)
      .sort()
      .join(''),
  ).slice(0, 8);

const sorted = (entries: [string, EncodedResource][]): ReadonlyMap<string, EncodedResource> =>
  new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));

/** For a wildcard on a type with partial responses. The protocol cannot express removals. */
function part(subscription: TypeSubscription, step: Step, deps: ResponseDeps): NextResponse | undefined {
  const names = new Set(step.changed.map(({ name }) => name));
  for (const name of subscription.forced ?? []) if (step.snapshot.resources.has(name)) names.add(name);
  return names.size === 0 ? undefined : respondStep(subscription, step, { deps, names });
}

function difference(subscription: TypeSubscription, step: Step, deps: ResponseDeps): NextResponse | undefined {
  const { resources } = step.snapshot;
  const names = new Set<string>();
  for (const resource of step.changed) if (!isKnown(subscription, resource)) names.add(resource.name);
  for (const { name } of step.removed) names.add(name);
  for (const name of subscription.clientVersions?.keys() ?? [])
    if (subscription.covers(name) && !resources.has(name)) names.add(name);
  for (const name of subscription.forced ?? []) if (!isKnown(subscription, resources.get(name))) names.add(name);
  // Clients wait for the first response to a wildcard, even if it is empty.
  const isWaitedFor = step.isFirst && subscription.isWildcard;
  return names.size === 0 && !isWaitedFor ? undefined : respondStep(subscription, step, { deps, names });
}

function respondStep(
  subscription: TypeSubscription,
  { snapshot, changed }: Step,
  { deps, names }: { readonly deps: ResponseDeps; readonly names: ReadonlySet<string> },
): NextResponse {
  const { resources } = snapshot;
  const isAll =
    subscription.clientVersions === undefined && changed.length === resources.size && names.size === resources.size;
  const key = `of ${snapshot.id} ${isAll ? '*' : nameList(names)}`;
  return namedResponse(subscription, deps, { key, names, find: name => resources.get(name) });
}
