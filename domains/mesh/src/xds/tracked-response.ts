import { hash } from 'node:crypto';
import { type EncodedResource, isWholeSet } from '../model/resource.ts';
import { isKnown, namedResponse, nameList } from './named-response.ts';
import type { NextResponse, ResponseDeps } from './response-deps.ts';
import { emptySnapshot, type Snapshot } from './snapshot-cache.ts';
import type { Substream } from './substream.ts';

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
export function trackedResponse(substream: Substream, deps: ResponseDeps): NextResponse | undefined {
  const step = nextStep(substream, deps);
  if (deps.mode === 'delta') return difference(substream, step, deps);
  return isWholeSet(substream.type) ? wholeSet(substream, step, deps) : part(substream, step, deps);
}

/**
 * Computes the transition and applies it to the substream: the client is then assumed to have the new snapshot and the
 * retained resources.
 */
function nextStep(substream: Substream, { snapshots, keepsClusters }: ResponseDeps): Step {
  const snapshot = snapshots.take(substream);
  const { changed, removed } = snapshots.compare(substream.snapshot ?? emptySnapshot, snapshot);
  const outlived = substream.retained.values().filter(({ name }) => !snapshot.resources.has(name));
  const lost = [...removed, ...outlived].filter(({ name }) => substream.covers(name));
  const isKept = keepsClusters && substream.type === 'cluster';
  const isFirst = substream.snapshot === undefined;
  substream.snapshot = snapshot;
  substream.retain(isKept ? lost : []);
  return { snapshot, changed, removed: isKept ? [] : lost, isFirst };
}

/** The whole set in every response: the client deletes resources that are left out. */
function wholeSet(substream: Substream, step: Step, { view, share }: ResponseDeps): NextResponse | undefined {
  const isChanged = substream.isRequested || step.changed.length > 0 || step.removed.length > 0;
  if (!isChanged || !substream.isSubscribed) return undefined;
  const { type, retained } = substream;
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
function part(substream: Substream, step: Step, deps: ResponseDeps): NextResponse | undefined {
  const names = new Set(step.changed.map(({ name }) => name));
  for (const name of substream.forced ?? []) if (step.snapshot.resources.has(name)) names.add(name);
  return names.size === 0 ? undefined : respondStep(substream, step, { deps, names });
}

function difference(substream: Substream, step: Step, deps: ResponseDeps): NextResponse | undefined {
  const { resources } = step.snapshot;
  const names = new Set<string>();
  for (const resource of step.changed) if (!isKnown(substream, resource)) names.add(resource.name);
  for (const { name } of step.removed) names.add(name);
  for (const name of substream.clientVersions?.keys() ?? [])
    if (substream.covers(name) && !resources.has(name)) names.add(name);
  for (const name of substream.forced ?? []) if (!isKnown(substream, resources.get(name))) names.add(name);
  // Clients wait for the first response to a wildcard, even if it is empty.
  const isWaitedFor = step.isFirst && substream.isWildcard;
  return names.size === 0 && !isWaitedFor ? undefined : respondStep(substream, step, { deps, names });
}

function respondStep(
  substream: Substream,
  { snapshot, changed }: Step,
  { deps, names }: { readonly deps: ResponseDeps; readonly names: ReadonlySet<string> },
): NextResponse {
  const { resources } = snapshot;
  const isAll =
    substream.clientVersions === undefined && changed.length === resources.size && names.size === resources.size;
  const key = `of ${snapshot.id} ${isAll ? '*' : nameList(names)}`;
  return namedResponse(substream, deps, { key, names, find: name => resources.get(name) });
}
