import { setImmediate as nextTurn } from 'node:timers/promises';
import { badRequest, formatTime, isError, type KubeObject } from '@chandlery/api';
import type { AtomicResult } from '@chandlery/client';
import { encodeExpectation } from '../store/expectation.ts';
import { type Check, type Commit, formatKey } from '../store/store.ts';
import { commitFailure, isWorthAnotherTry, type TargetedWrite } from './commit-failure.ts';
import { type CommitPart, prepareAtOnce, preparePart } from './commit-part.ts';
import { reportWrite } from './internal-write.ts';
import { isKindOutdated, refreshTarget } from './kind-check.ts';
import { commitTraced } from './link-trace.ts';
import { keyOfTarget, type ResourceDeps, type WriteOptions } from './request.ts';
import { serveStored } from './served.ts';

const maxAttempts = 20;

/**
 * Writes several objects, all or none. What the store rejects for a reason that the caller cannot know (a namespace or
 * a kind that has changed meanwhile) is tried again with what holds now.
 */
export async function commitObjects(
  deps: ResourceDeps,
  writes: readonly TargetedWrite[],
  write: WriteOptions,
): Promise<readonly AtomicResult[]> {
  if (writes.length === 0) return [];
  rejectRepetition(writes);
  let current = writes;
  for (let attempt = 1; ; attempt++) {
    const parts = await prepareParts(deps, current, write);
    try {
      const { revisions } = await commitTraced(deps, commitOf(parts));
      reportCommit(deps, current, write);
      return resultsOf(deps, current, parts, revisions);
    } catch (error) {
      const next = attempt < maxAttempts ? await refreshed(deps, current, parts, error) : undefined;
      if (next === undefined) throw commitFailure(error, current);
      current = next;
    }
  }
}

const verbs = { create: 'create', replace: 'update', remove: 'delete' } as const;

function reportCommit(deps: ResourceDeps, writes: readonly TargetedWrite[], options: WriteOptions): void {
  for (const { write, target } of writes)
    if (write.type !== 'check') reportWrite(deps, target, options, verbs[write.type]);
}

/** So many are made ready without a pause. */
const batchSize = 100;

/** Most commits are one creation, which need not wait for anything. */
function prepareParts(
  deps: ResourceDeps,
  writes: readonly TargetedWrite[],
  options: WriteOptions,
): readonly CommitPart[] | Promise<readonly CommitPart[]> {
  const now = formatTime(deps.clock.now());
  const prepare = ({ write, target }: TargetedWrite): CommitPart | Promise<CommitPart> => {
    const context = { deps, target, write: options, now };
    return prepareAtOnce(context, write) ?? preparePart(context, write);
  };
  const [only] = writes;
  if (only === undefined || writes.length > 1) return prepareMany(writes, prepare);
  const part = prepare(only);
  return part instanceof Promise ? part.then(ready => [ready]) : [part];
}

/** Parts that read the store share a read. A commit of thousands must not keep other requests waiting. */
async function prepareMany(
  writes: readonly TargetedWrite[],
  prepare: (write: TargetedWrite) => CommitPart | Promise<CommitPart>,
): Promise<CommitPart[]> {
  const parts: CommitPart[] = [];
  for (let start = 0; start < writes.length; start += batchSize) {
    if (start > 0) await nextTurn();
    parts.push(...(await Promise.all(writes.slice(start, start + batchSize).map(async write => prepare(write)))));
  }
  return parts;
}

function commitOf(parts: readonly CommitPart[]): Commit {
  const writes = parts.flatMap(({ operation }) => operation ?? []);
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return { writes, checks: only.checks };
  // Objects in the same place depend on the same things.
  const checks = new Map(parts.flatMap(part => part.checks.map(check => [nameOf(check), check] as const)));
  return { writes, checks: [...checks.values()] };
}

const nameOf = ({ key, expect }: Check): string => `${formatKey(key)} ${encodeExpectation(expect)}`;

function resultsOf(
  deps: ResourceDeps,
  writes: readonly TargetedWrite[],
  parts: readonly CommitPart[],
  revisions: readonly number[],
): AtomicResult[] {
  let next = 0;
  return parts.map((part, index) => {
    if (part.operation === undefined) return undefined;
    return resultOf(deps, writes[index], part, revisions[next++] ?? 0);
  });
}

/** What was made ready is what is stored, unless the kind is stored in another version. */
function resultOf(
  deps: ResourceDeps,
  written: TargetedWrite | undefined,
  { operation, object }: CommitPart,
  revision: number,
): KubeObject | undefined {
  if (operation === undefined || object === undefined || written === undefined) return undefined;
  const { resource } = written.target;
  if (resource.version !== resource.kind.stored.storageVersion)
    return serveStored(resource, deps.codec, { ...operation, revision }).object;
  object.metadata.resourceVersion = String(revision);
  return object;
}

/** The writes for another attempt; undefined when the failure is the caller's business. */
async function refreshed(
  deps: ResourceDeps,
  writes: readonly TargetedWrite[],
  parts: readonly CommitPart[],
  error: unknown,
): Promise<readonly TargetedWrite[] | undefined> {
  if (writes.some(({ target }) => isKindOutdated(error, target))) return Promise.all(writes.map(withPresentKind));
  const isPlaceStale = parts.some(({ places = [] }) => places.some(check => isAbout(error, check)));
  if (!isPlaceStale) return isWorthAnotherTry(error, writes) ? writes : undefined;
  for (const { target } of writes) deps.clusters.forget(target);
  return writes;

  async function withPresentKind(written: TargetedWrite): Promise<TargetedWrite> {
    if (!isKindOutdated(error, written.target)) return written;
    return { ...written, target: await refreshTarget(deps, written.target) };
  }
}

const isAbout = (error: unknown, { key }: Check): boolean =>
  isError(error, 'PreconditionFailed') && error.details.name === formatKey(key);

/** Rejects a commit with two writes of one object, whose order would be undefined. */
function rejectRepetition(writes: readonly TargetedWrite[]): void {
  if (writes.length === 1) return;
  // Nearly always the names differ, which is known at less than half the price.
  if (new Set(writes.map(({ target }) => target.name)).size === writes.length) return;
  const keys = new Set(writes.map(({ target }) => formatKey(keyOfTarget(target))));
  if (keys.size < writes.length) throw badRequest('each object may occur only once in a commit');
}
