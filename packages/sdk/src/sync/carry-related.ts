import { formatApiVersion, isError, type KubeObject } from '@chandlery/api';
import { ownerReference } from '@chandlery/runtime';
import { isFulfilled } from '../objects/applied-state.ts';
import { titleOf } from '../objects/desired-object.ts';
import { contentHashAnnotation, isManagedByAnyone } from '../objects/ownership.ts';
import { withContentHash } from './copy-body.ts';
import type { Obstacle } from './status-up.ts';
import {
  holderOf,
  isLinked,
  type Link,
  linkedTo,
  linkMetadata,
  sourceIndexValue,
  syncManagerOf,
} from './sync-ownership.ts';
import { applyAs, deleteSeen, linkOf, readLive, refTo, type SyncWork } from './sync-work.ts';
import type { Place, RelatedDefinition } from './syncer.ts';

interface Pair {
  readonly source: KubeObject;
  readonly copy: KubeObject;
}

const opposite = { mcp: 'workload', workload: 'mcp' } as const;

/** Copies all related objects of a source to their other side. Returns the first obstacle. */
export async function carryRelated(work: SyncWork, pair: Pair): Promise<Obstacle | undefined> {
  let obstacle: Obstacle | undefined;
  for (const related of work.definition.related ?? []) {
    const found = await carryOne(work, pair, related);
    obstacle ??= found;
  }
  return obstacle;
}

/** Deletes all related objects that were created for a source, while its copy still exists. */
export async function cleanRelated(work: SyncWork): Promise<void> {
  for (const related of work.definition.related ?? []) await removeTargets(work, related, undefined);
}

async function carryOne(work: SyncWork, pair: Pair, related: RelatedDefinition): Promise<Obstacle | undefined> {
  const located = locate(related, pair);
  const place = located && targetPlace(related, pair, located);
  await removeTargets(work, related, place);
  if (located === undefined || place === undefined) return undefined;
  const originRef = refTo(related.ref, located);
  work.expectOrigin(related.from, originRef);
  const { client, side } = work[related.from];
  const origin = side.lacksOrigin(related.ref, located) ? undefined : await readLive(client, originRef, work);
  if (origin === undefined || !isPresentable(related, origin)) {
    await removeTargets(work, related, undefined);
    return undefined;
  }
  return show(work, related, targetBody(work, related, { pair, origin, place }));
}

/**
 * Objects that a tenant's spec names on the workload cluster must be in the namespace of the copy: others are not the
 * tenant's.
 */
function locate(related: RelatedDefinition, { source, copy }: Pair): Place | undefined {
  const located = related.locate(related.from === 'mcp' ? source : copy);
  const isOutside = related.from === 'workload' && located?.namespace !== copy.metadata.namespace;
  return located === undefined || located.name === '' || isOutside ? undefined : located;
}

/** Objects that a provider manages on the workload cluster, and those that a syncer created, are not copied. */
const isPresentable = ({ from }: RelatedDefinition, origin: KubeObject): boolean =>
  linkedTo(origin) === undefined && (from === 'mcp' || !isManagedByAnyone(origin));

/** Undefined when the object is not to be shown. */
function targetPlace(related: RelatedDefinition, { source, copy }: Pair, located: Place): Place | undefined {
  const beside = related.from === 'mcp' ? copy : source;
  const name = related.showAs === undefined ? located.name : related.showAs(beside);
  return name === '' ? undefined : { namespace: beside.metadata.namespace ?? '', name };
}

interface Shown {
  readonly pair: Pair;
  readonly origin: KubeObject;
  readonly place: Place;
}

/** The content of the origin with our labels; the object beside it is its owner. */
function targetBody(
  work: SyncWork,
  { from, ref, name }: RelatedDefinition,
  { pair, origin, place }: Shown,
): KubeObject {
  const { apiVersion: _, kind: _kind, metadata: _metadata, status: _status, ...content } = origin;
  const beside = from === 'mcp' ? pair.copy : pair.source;
  const { labels, annotations } = linkMetadata(linkOf(work, name), pair.source.metadata.uid ?? '');
  return withContentHash({
    apiVersion: formatApiVersion(ref),
    kind: ref.kind,
    metadata: { ...place, labels, annotations, ownerReferences: [ownerReference(beside)] },
    ...content,
  });
}

async function show(work: SyncWork, related: RelatedDefinition, body: KubeObject): Promise<Obstacle | undefined> {
  const { client, side } = work[opposite[related.from]];
  const ref = refTo(related.ref, body.metadata);
  const targets = side.targets(related.ref);
  const shown = targets?.get(ref.namespace, ref.name) ?? (await readLive(client, ref, work));
  if (shown !== undefined && !isLinked(shown, linkOf(work, related.name)))
    return conflictOver(body, holderOf(shown, linkOf(work)));
  if (shown !== undefined && isFulfilled(body, shown, syncManagerOf(work.provider))) return undefined;
  if (shown !== undefined && hasSameContent(shown, body)) work.repaired(body.kind, titleOf(body));
  try {
    targets?.note(await applyAs(client, ref, body, work));
  } catch (error) {
    if (!isError(error, 'Invalid')) throw error;
    if (shown === undefined) return { reason: 'Invalid', message: error.message };
    // Some content is immutable, such as the type of a Secret: the object is created again.
    await deleteSeen(client, ref, shown, work.signal);
  }
  return undefined;
}

const hasSameContent = (a: KubeObject, b: KubeObject): boolean =>
  a.metadata.annotations?.[contentHashAnnotation] === b.metadata.annotations?.[contentHashAnnotation];

/** Deletes the objects of a relation, except the one at its current place. */
async function removeTargets(work: SyncWork, related: RelatedDefinition, keep: Place | undefined): Promise<void> {
  const { client, side } = work[opposite[related.from]];
  const link = linkOf(work, related.name);
  const made = side.targets(related.ref)?.byIndex('source', sourceIndexValue(link)) ?? [];
  for (const object of made.filter(each => isMadeFor(each, link) && !isAt(each, keep))) {
    await deleteSeen(client, refTo(related.ref, object.metadata), object, work.signal);
  }
}

const isMadeFor = (object: KubeObject, link: Link): boolean => linkedTo(object)?.role === link.role;

const isAt = ({ metadata }: KubeObject, place: Place | undefined): boolean =>
  metadata.name === place?.name && (metadata.namespace ?? '') === place?.namespace;

const conflictOver = (body: KubeObject, holder: string): Obstacle => ({
  reason: 'Conflict',
  message: `${titleOf(body)} is there already and belongs to ${holder}; rename or delete it to see the related object.`,
});
