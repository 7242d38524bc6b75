import { type StepResult, terminalError } from '@chandlery/runtime';
import type { ConfiguredProduct } from '../registry/fleet-registry.ts';
import type { InstanceDraft } from './instance-draft.ts';
import type { WorkerDeps } from './worker-deps.ts';

/** What a step knows besides the instance. */
export interface InstanceStepContext {
  /** Undefined: the product no longer exists. */
  readonly product: ConfiguredProduct | undefined;
  /** When the reconcile began. */
  readonly now: Date;
  /** Aborted when the workers stop. Hand it on to everything that waits. */
  readonly signal: AbortSignal;
}

/**
 * One thing that a worker does for an instance. It changes the draft, which is written in one commit at the end, and the
 * world through its deps; running it twice changes nothing more.
 */
export type InstanceStep = (
  draft: InstanceDraft,
  deps: WorkerDeps,
  context: InstanceStepContext,
) => StepResult | Promise<StepResult>;

/** The product of the instance. Throws a terminal error when it does not exist: its return is a change that adds the instance. */
export function productOf({ product }: InstanceStepContext): ConfiguredProduct {
  if (product === undefined) throw terminalError('the product of the instance no longer exists');
  return product;
}
