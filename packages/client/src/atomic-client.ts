import type { KubeObject } from '@chandlery/api';
import type { Client, ObjectRef, ResourceRef } from './client.ts';

/**
 * A new object, spec and status together. The reference names the namespace, the object its name. The result may share
 * parts with it, so that it must not be changed afterwards; the same goes for a replacement.
 */
export interface AtomicCreate {
  readonly type: 'create';
  readonly ref: ResourceRef;
  readonly object: KubeObject;
}

/**
 * Another content for an object that is still as the writer knows it: `spec`, `status` and any other top-level field are
 * replaced as a whole, and so are labels, annotations, finalizers and owner references. What the server owns (uid, times,
 * generation, managedFields) is kept; the generation rises when anything but metadata and status differs.
 */
export interface AtomicReplace {
  readonly type: 'replace';
  readonly ref: ObjectRef;
  readonly object: KubeObject;
  /** The version the writer knows. */
  readonly resourceVersion: string;
}

/** The end of an object, at once and whatever finalizers it has. */
export interface AtomicRemove {
  readonly type: 'remove';
  readonly ref: ObjectRef;
  /** Default: whichever version there is; an object that is not there makes the commit fail with `NotFound`. */
  readonly resourceVersion?: string;
}

/** A condition on an object that the commit does not write. */
export interface AtomicCheck {
  readonly type: 'check';
  readonly ref: ObjectRef;
  readonly expect: 'absent' | 'present' | { readonly resourceVersion: string };
}

/** One part of a commit. */
export type AtomicWrite = AtomicCreate | AtomicReplace | AtomicRemove | AtomicCheck;

/** What a commit made of a write: the object as stored; its last state for a removal; undefined for a check. */
export type AtomicResult = KubeObject | undefined;

/**
 * A client that can write several objects at once. Only the store's own process has one.
 */
export interface AtomicClient extends Client {
  /**
   * Writes all or nothing, in one durable step, and returns one result for each write. Writes take consecutive revisions,
   * in order. Rejects with `AlreadyExists` or `NotFound` for a name, with `Conflict` when an object is no longer at the
   * given version or a check does not hold, with `UniqueViolation` (`details.kind` is the unique key's name, `details.name`
   * its value) when another object holds a unique value, with `Invalid` for what the schema rejects. Each object may occur once.
   * The results are removed objects' last state with the revision of the removal as their resourceVersion.
   */
  commit(writes: readonly AtomicWrite[]): Promise<readonly AtomicResult[]>;
}
