import { isDeepStrictEqual } from 'node:util';
import {
  badRequest,
  conflict,
  type ErrorCause,
  fieldCause,
  formatTime,
  invalid,
  type KubeObject,
  validateObjectMeta,
} from '@chandlery/api';
import { finishSteps, type Steps } from '@chandlery/platform';
import { type BehaviourContext, behaviourOf } from '../behaviours/behaviour.ts';
import type { ResourceDeps, Target, WriteOptions } from './request.ts';

/** The body must be of the kind, namespace and name that the request addresses. */
export function checkIdentity({ resource: { kind, version }, namespace, name }: Target, body: KubeObject): void {
  if (body.apiVersion !== version.apiVersion || body.kind !== kind.kind) {
    throw badRequest(
      `the object is ${body.apiVersion ?? '(no apiVersion)'}, Kind=${body.kind ?? '(none)'} but the request is for ${version.apiVersion}, Kind=${kind.kind}`,
    );
  }
  const bodyNamespace = body.metadata.namespace ?? '';
  if (kind.isNamespaced && bodyNamespace !== '' && bodyNamespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (name !== '' && body.metadata.name !== undefined && body.metadata.name !== '' && body.metadata.name !== name) {
    throw badRequest(`the name of the object (${body.metadata.name}) does not match the name on the URL (${name})`);
  }
}

/** Drops unknown fields, in place; Strict rejects them, Warn adds a warning. */
export function dropUnknownFields({ resource: { version } }: Target, write: WriteOptions, body: KubeObject): void {
  const problems = [...(write.decodingProblems ?? []), ...version.prune(body).map(path => `unknown field "${path}"`)];
  if (problems.length === 0 || write.fieldValidation === 'Ignore') return;
  if (write.fieldValidation === 'Strict') {
    throw badRequest(`strict decoding error: ${problems.slice(0, 20).join(', ')}`);
  }
  for (const problem of problems.slice(0, 20)) write.warn?.(problem);
}

export function contextOf(deps: ResourceDeps, target: Target, write: WriteOptions): BehaviourContext {
  return { deps, target, write, now: formatTime(deps.clock.now()) };
}

/** What the schema says, before the kind's own code sees the object: that may rely on types then. */
export function checkSchema(object: KubeObject, live: KubeObject | undefined, { resource }: Target): void {
  const { kind, version } = resource;
  const causes = version.validate(object, live);
  if (causes.length > 0) throw invalid(kind, object.metadata.name ?? '', causes);
}

/**
 * Metadata and the schema, then the schema's rules, then the kind's own; each looks at what those before have accepted.
 * `isClean`: what the schema says is known to hold.
 */
export function validateWhole(
  object: KubeObject,
  live: KubeObject | undefined,
  context: BehaviourContext,
  isClean?: boolean,
): void {
  finishSteps(validating(object, live, context, isClean));
}

/** As {@link validateWhole}, in steps. */
export function* validating(
  object: KubeObject,
  live: KubeObject | undefined,
  context: BehaviourContext,
  isKnownClean?: boolean,
): Steps<void> {
  const { kind, version } = context.target.resource;
  const behaviour = behaviourOf(context.deps.behaviours, kind.resource);
  const meta = { namespaced: kind.isNamespaced, nameRule: kind.declaration.nameRule ?? 'dns-subdomain' } as const;
  const isClean = isKnownClean ?? version.isClean(object);
  yield;
  const causes: ErrorCause[] = validateObjectMeta(object.metadata, meta);
  yield;
  if (!isClean) causes.push(...version.validate(object, live));
  yield;
  if (causes.length === 0) causes.push(...version.validateRules(object, live));
  yield;
  if (causes.length === 0) {
    causes.push(...(behaviour.validate?.(object, context) ?? []));
    if (live === undefined) causes.push(...(behaviour.validateCreate?.(object, context) ?? []));
  }
  if (causes.length === 0 && live !== undefined) {
    causes.push(...finalizerCauses(object, live), ...(behaviour.validateUpdate?.(object, live, context) ?? []));
  }
  if (causes.length > 0) throw invalid(kind, object.metadata.name ?? object.metadata.generateName ?? '', causes);
}

/** A terminating object may lose finalizers but not gain any. */
function finalizerCauses(object: KubeObject, live: KubeObject): ErrorCause[] {
  if (live.metadata.deletionTimestamp === undefined) return [];
  const had = new Set(live.metadata.finalizers);
  const added = (object.metadata.finalizers ?? []).filter(finalizer => !had.has(finalizer));
  if (added.length === 0) return [];
  return [
    fieldCause.forbidden(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`,
    ),
  ];
}

/** Gives a new object what only the server can give, in place of whatever it came with. */
export function setBirthFields(object: KubeObject, { deps, target, now }: BehaviourContext): void {
  const { kind } = target.resource;
  const metadata = { ...object.metadata, name: target.name, uid: deps.ids.uuid(), creationTimestamp: now };
  setOrDelete(metadata, 'generation', kind.keepsGeneration ? 1 : undefined);
  setOrDelete(metadata, 'namespace', kind.isNamespaced ? target.namespace : undefined);
  delete metadata.resourceVersion;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  object.metadata = metadata;
}

/** Puts back what clients cannot change, and rejects what they must not try to. */
export function keepServerFields(object: KubeObject, live: KubeObject, { resource: { kind } }: Target): void {
  const { metadata: wanted } = object;
  const { metadata: had } = live;
  if (wanted.uid !== undefined && wanted.uid !== '' && wanted.uid !== had.uid) {
    throw conflict(
      kind.groupResource,
      had.name ?? '',
      `Precondition failed: UID in precondition: ${wanted.uid}, UID in object meta: ${had.uid}`,
    );
  }
  object.metadata = {
    ...wanted,
    name: had.name,
    uid: had.uid,
    resourceVersion: had.resourceVersion,
    creationTimestamp: had.creationTimestamp,
  };
  setOrDelete(object.metadata, 'generation', had.generation);
  setOrDelete(object.metadata, 'namespace', had.namespace);
  setOrDelete(object.metadata, 'generateName', wanted.generateName ?? had.generateName);
  setOrDelete(object.metadata, 'deletionTimestamp', had.deletionTimestamp);
  setOrDelete(object.metadata, 'deletionGracePeriodSeconds', had.deletionGracePeriodSeconds);
}

function setOrDelete<T extends object, K extends keyof T>(target: T, key: K, value: T[K] | undefined): void {
  if (value === undefined) delete target[key];
  else target[key] = value;
}

/** Copies a field, or its absence. */
export function carry(field: string, from: KubeObject, to: KubeObject): void {
  if (from[field] === undefined) delete to[field];
  else to[field] = from[field];
}

/** Whether what the user asks for changed: anything but metadata, and but status where that has its own endpoint. */
export function isSpecChanged(object: KubeObject, live: KubeObject, hasStatus: boolean): boolean {
  const fields = new Set([...Object.keys(object), ...Object.keys(live)]);
  for (const field of fields) {
    if (field === 'metadata' || field === 'apiVersion' || (hasStatus && field === 'status')) continue;
    if (!isDeepStrictEqual(object[field], live[field])) return true;
  }
  return false;
}
