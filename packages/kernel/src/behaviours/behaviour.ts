import type { ErrorCause, KubeObject } from '@chandlery/api';
import type { ResourceDeps, Target, WriteOptions } from '../resources/request.ts';
import type { Check, Delete, Put } from '../store/store.ts';

/** Everything a behaviour may look at. */
export interface BehaviourContext {
  readonly target: Target;
  readonly write: WriteOptions;
  readonly deps: ResourceDeps;
  /** RFC 3339, seconds. */
  readonly now: string;
}

/**
 * What a kind does beyond its declaration. All parts are optional; `prepare…` change the object they are given,
 * `validate…` only look. Nothing here may write to the store: further writes are returned and become part of the
 * same commit.
 */
export interface Behaviour {
  prepareCreate?(object: KubeObject, context: BehaviourContext): void | Promise<void>;
  prepareUpdate?(object: KubeObject, live: KubeObject, context: BehaviourContext): void | Promise<void>;
  prepareStatus?(object: KubeObject, live: KubeObject, context: BehaviourContext): void | Promise<void>;
  /** On create and on update. */
  validate?(object: KubeObject, context: BehaviourContext): readonly ErrorCause[];
  /** On create only, beside `validate`. */
  validateCreate?(object: KubeObject, context: BehaviourContext): readonly ErrorCause[];
  /** On update only, after `validate`. */
  validateUpdate?(object: KubeObject, live: KubeObject, context: BehaviourContext): readonly ErrorCause[];
  /** Throws when the user may not write just this (escalation). `live` is undefined on create. */
  authorize?(object: KubeObject, live: KubeObject | undefined, context: BehaviourContext): void | Promise<void>;
  /** Further writes and checks of the commit that creates the object. */
  withCreate?(object: KubeObject, context: BehaviourContext): CommitParts | Promise<CommitParts>;
  /** Throws when the object must not be deleted. */
  beforeDelete?(live: KubeObject, context: BehaviourContext): void | Promise<void>;
  /** Changes the object when it starts to be deleted (`deletionTimestamp` is set already). */
  onTerminating?(object: KubeObject, context: BehaviourContext): void;
  /** What besides metadata.finalizers keeps a terminating object alive. Default: nothing. */
  isHeld?(object: KubeObject): boolean;
  /** Seconds that a deletion waits for the object to be stopped. Default 0: no waiting. */
  gracePeriodSeconds?(object: KubeObject): number;
}

export interface CommitParts {
  readonly writes?: readonly (Put | Delete)[];
  readonly checks?: readonly Check[];
}

/** Behaviours by `group/plural`. */
export type Behaviours = ReadonlyMap<string, Behaviour>;

/**
 * What the domains decide about writes of every kind of every logical cluster, after the kind's own behaviour has accepted
 * them. Throws to reject, changes nothing. Not asked about status endpoints, which change neither spec nor finalizers,
 * nor about atomic commits, which only domains make.
 */
export interface AdmissionHook {
  /** Before a create, or an update by whatever verb. `live` is undefined on create. */
  beforeWrite?(object: KubeObject, live: KubeObject | undefined, context: BehaviourContext): void | Promise<void>;
  /** Before an object is deleted, or marked for deletion. Asked again when it is already marked. */
  beforeDelete?(live: KubeObject, context: BehaviourContext): void | Promise<void>;
}

const plain: Behaviour = {};

export const behaviourOf = (behaviours: Behaviours, resource: string): Behaviour => behaviours.get(resource) ?? plain;
