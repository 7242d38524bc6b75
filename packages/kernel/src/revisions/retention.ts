import type { CompiledKind } from '../registry/compiled-kind.ts';

/** How long superseded versions are kept, unless the landscape or a kind says otherwise. */
export const defaultRevisionDays = 7;

/** A CRD can ask for no more: the room is shared. */
export const maxRevisionDays = 30;

/** Of one object, no more than this. */
export const maxRevisionsPerObject = 100;

/** Of all objects together; beyond it those that expire next are removed, until {@link keptRevisionBytes} are left. */
export const maxRevisionBytes = 1024 ** 3;
export const keptRevisionBytes = 0.9 * maxRevisionBytes;

/** Changes that leave the generation as it is, mostly of the status, are kept once in so much time. */
export const coalescingMs = 10 * 60_000;

const dayMs = 24 * 3600_000;

/** How long superseded versions of a kind are kept. 0: not at all, as all that is secret or short-lived. */
export function revisionMsOf({ declaration }: CompiledKind, landscapeDays: number): number {
  const { isSecret = false, ttlSeconds, revisionDays = landscapeDays } = declaration;
  return isSecret || ttlSeconds !== undefined || landscapeDays === 0 ? 0 : revisionDays * dayMs;
}

/** A version and when it was written. */
export interface TimedVersion {
  readonly generation: string | undefined;
  readonly at: number;
}

/**
 * Whether a version stays when the next one takes its place: the last of its generation does, and the last of each
 * stretch of {@link coalescingMs}. Objects without a generation keep every version.
 */
export function isWorthKeeping(version: TimedVersion, next: TimedVersion): boolean {
  if (version.generation === undefined || version.generation !== next.generation) return true;
  return Math.floor(version.at / coalescingMs) !== Math.floor(next.at / coalescingMs);
}
