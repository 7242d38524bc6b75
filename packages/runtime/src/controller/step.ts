import type { KubeObject } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';

/**
 * How a step ends: the next one follows; nothing more is to be done until something changes; or nothing more now, and
 * all again after a while.
 */
export type StepResult = 'continue' | 'stop' | { readonly retryAfterMs: number };

/** What a step knows besides the object. */
export interface StepContext {
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  /** When the reconcile began: all that a reconcile writes bears the same time. */
  readonly now: Date;
  /** Aborted when the reconcile takes too long or the controller stops. Hand it on to everything that waits. */
  readonly signal: AbortSignal;
  /** How often this object failed in a row before. */
  readonly failures: number;
  /** This reconcile was requested by the reconcile-now annotation. */
  readonly isRequested: boolean;
  readonly logger: Logger;
}

/**
 * One thing that a controller does for an object. It may change the object it was given (the controller writes it) and
 * the world through its needs; running it twice changes nothing more. Named functions show up in traces; asynchronous ones
 * say `Promise<StepResult>`, which TypeScript does not infer.
 */
export type Step<T extends KubeObject = KubeObject, Needs = unknown> = (
  object: T,
  needs: Needs,
  context: StepContext,
) => StepResult | Promise<StepResult>;

/** What the steps of one reconcile share: what they need, and what earlier ones have found. */
export type NeedsOf<T extends KubeObject, Needs extends object | undefined> = (
  object: T,
  context: StepContext,
) => Needs;
