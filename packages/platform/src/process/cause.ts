import { AsyncLocalStorage } from 'node:async_hooks';

/** Why a piece of work is done: which component does it, and for whom or for what. Shown in the audit log. */
export interface Cause {
  /** A controller or a maintenance task, or the lens that serves a request. */
  readonly component: string;
  /** The object that is reconciled, as `namespace/name` or a key of the component. */
  readonly object?: string;
  /** Who sent the request that is served. */
  readonly user?: string;
  /** The id of that request. */
  readonly requestId?: string;
}

const causes = new AsyncLocalStorage<Cause>();

/** Runs an action, and everything that it awaits, for the given cause. */
export const withCause = <T>(cause: Cause, action: () => T): T => causes.run(cause, action);

/** The cause of what runs now; undefined outside of {@link withCause}. */
export const currentCause = (): Cause | undefined => causes.getStore();
