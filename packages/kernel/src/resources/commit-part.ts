import { badRequest, conflict, type KubeObject, notFound } from '@chandlery/api';
import type { AtomicCheck, AtomicCreate, AtomicRemove, AtomicReplace, AtomicWrite } from '@chandlery/client';
import { type Behaviour, type BehaviourContext, behaviourOf } from '../behaviours/behaviour.ts';
import { orderedMetadata } from '../codec/stored-value.ts';
import type { Check, Delete, Expectation, Put, StoredObject } from '../store/store.ts';
import { deleteOf, putOf } from './commit.ts';
import { checksOfKind, rejectWhileKindIsDeleted } from './kind-check.ts';
import { linkTrace } from './link-trace.ts';
import { isReleased } from './mutate.ts';
import { checkIdentity, isSpecChanged, keepServerFields, setBirthFields, validateWhole } from './prepare.ts';
import { keyOfTarget } from './request.ts';
import { isCurrent, serveStored } from './served.ts';
import { asKubeObject, cloneObject } from './shape.ts';

/** One write of several, ready for the store. */
export interface CommitPart {
  /** Undefined for a check. */
  readonly operation?: Put | Delete;
  /** What must hold besides the operation's own expectation. */
  readonly checks: readonly Check[];
  /** Where it is, as far as new objects depend on it: the commit may fail because that has changed. Default nowhere. */
  readonly places?: readonly Check[];
  /** What the operation leaves, in the version of the request. Undefined for a check. */
  readonly object?: KubeObject;
}

/** Checks a write and makes it ready. The caller's object stays as it is; what becomes the answer may share parts with it. */
export function preparePart(context: BehaviourContext, write: AtomicWrite): Promise<CommitPart> {
  switch (write.type) {
    case 'create':
      return prepareCreate(context, write);
    case 'replace':
      return prepareReplace(context, write);
    case 'remove':
      return prepareRemove(context, write);
    case 'check':
      return prepareCheck(context, write);
  }
}

/** A creation that nothing has to be waited for, as with nearly all; undefined for other writes. */
export function prepareAtOnce(context: BehaviourContext, write: AtomicWrite): CommitPart | undefined {
  if (write.type !== 'create' || behaviourFor(context).prepareCreate !== undefined) return undefined;
  const places = context.deps.clusters.peekChecksForCreate(context.target);
  if (places === undefined) return undefined;
  const { object, isClean } = bornObject(context, write);
  return partOfCreation(context, { object, isClean, places });
}

async function prepareCreate(context: BehaviourContext, write: AtomicCreate): Promise<CommitPart> {
  const { deps, target } = context;
  const places = await deps.clusters.checksForCreate(target);
  const { object, isClean } = bornObject(context, write);
  const behaviour = behaviourFor(context);
  await behaviour.prepareCreate?.(object, context);
  // The kind's behaviour may have changed the object, so it is checked again.
  return partOfCreation(context, { object, isClean: isClean && behaviour.prepareCreate === undefined, places });
}

const behaviourFor = ({ deps, target }: BehaviourContext): Behaviour =>
  behaviourOf(deps.behaviours, target.resource.kind.resource);

/** The object of a creation with all that only the server can give. `isClean`: what the schema says holds. */
function bornObject(
  context: BehaviourContext,
  { object: sent }: AtomicCreate,
): { object: KubeObject; isClean: boolean } {
  rejectWhileKindIsDeleted(context.target);
  const { body: object, isClean } = bodyOf(context, sent);
  if ((object.metadata.resourceVersion ?? '') !== '')
    throw badRequest('resourceVersion should not be set on objects to be created');
  setBirthFields(object, context);
  // Field ownership of objects that a domain keeps for itself is not tracked.
  delete object.metadata.managedFields;
  linkTrace(context.target.resource.kind, object);
  if (!isClean) context.target.resource.version.applyDefaults(object);
  return { object, isClean };
}

interface Born {
  readonly object: KubeObject;
  readonly isClean: boolean;
  readonly places: readonly Check[];
}

function partOfCreation(context: BehaviourContext, { object, isClean, places }: Born): CommitPart {
  const { deps, target } = context;
  validateWhole(object, undefined, context, isClean);
  object.metadata = orderedMetadata(object.metadata);
  const operation = putOf(deps, target.resource.kind, keyOfTarget(target), object, { type: 'absent' });
  return { operation, checks: [...places, ...checksOfKind(target)], places, object };
}

async function prepareReplace(context: BehaviourContext, write: AtomicReplace): Promise<CommitPart> {
  const { deps, target } = context;
  const { kind, version } = target.resource;
  const stored = await readLive(context, write.resourceVersion);
  const live = serveStored(target.resource, deps.codec, stored).object;
  const { body: next, isClean } = bodyOf(context, write.object);
  keepServerFields(next, live, target);
  if (live.metadata.managedFields === undefined) delete next.metadata.managedFields;
  else next.metadata.managedFields = live.metadata.managedFields;
  if (!isClean) version.applyDefaults(next);
  await behaviourFor(context).prepareUpdate?.(next, live, context);
  validateWhole(next, live, context);
  if (kind.keepsGeneration && isSpecChanged(next, live, true)) {
    next.metadata.generation = (live.metadata.generation ?? 0) + 1;
    linkTrace(kind, next);
  }
  const expect = { type: 'revision', revision: stored.revision } as const;
  // As with any update: one that lets go of a terminating object is its end.
  const writeOf = isReleased(next, false) ? deleteOf : putOf;
  const operation = writeOf(deps, kind, keyOfTarget(target), next, expect);
  return { operation, checks: checksOfKind(target), object: next };
}

async function prepareRemove(context: BehaviourContext, { resourceVersion }: AtomicRemove): Promise<CommitPart> {
  const { deps, target } = context;
  const stored = await readLive(context, resourceVersion);
  const { object } = serveStored(target.resource, deps.codec, stored);
  const expect = { type: 'revision', revision: stored.revision } as const;
  const key = keyOfTarget(target);
  const operation: Delete = isCurrent(target.resource, stored)
    ? { type: 'delete', key, expect, value: stored.value }
    : deleteOf(deps, target.resource.kind, key, object, expect);
  return { operation, checks: [], object };
}

async function prepareCheck({ target }: BehaviourContext, { expect }: AtomicCheck): Promise<CommitPart> {
  return { checks: [{ key: keyOfTarget(target), expect: expectationOf(expect) }] };
}

function expectationOf(expect: AtomicCheck['expect']): Expectation {
  if (typeof expect === 'string') return { type: expect };
  const { resourceVersion } = expect;
  if (!/^\d+$/.test(resourceVersion)) throw badRequest(`"${resourceVersion}" is no resourceVersion`);
  return { type: 'revision', revision: Number(resourceVersion) };
}

/**
 * What was sent, of the kind and at the place that the write addresses, without unknown fields. What is clean already, as
 * nearly everything that domains write, is not copied: metadata is replaced next anyway.
 */
function bodyOf({ target }: BehaviourContext, sent: KubeObject): { body: KubeObject; isClean: boolean } {
  const { crd, kind, version } = target.resource;
  const type = crd === undefined ? { apiVersion: version.apiVersion, kind: kind.kind } : undefined;
  const isClean = version.isClean(sent);
  const body = asKubeObject(isClean ? { ...sent } : cloneObject(sent), type);
  checkIdentity(target, body);
  if (!isClean) version.prune(body);
  return { body, isClean };
}

async function readLive(
  { deps, target }: BehaviourContext,
  resourceVersion: string | undefined,
): Promise<StoredObject> {
  const { groupResource } = target.resource.kind;
  const stored = await deps.store.get(keyOfTarget(target));
  if (stored === undefined) throw notFound(groupResource, target.name);
  if (resourceVersion !== undefined && resourceVersion !== String(stored.revision))
    throw conflict(groupResource, target.name);
  return stored;
}
