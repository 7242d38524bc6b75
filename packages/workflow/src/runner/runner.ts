import type { ArtifactDriver } from '../document/artifact-location.ts';
import type { StartAction } from '../engine/actions.ts';
import type { Ended, Lost, Started } from '../engine/observations.ts';

export interface RunRequest {
  readonly workflow: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly action: StartAction;
}

export type RunReport = Started | Ended | Lost;

/**
 * Executes the containers of nodes. For each start it reports `started` at most once, and after that `ended` or `lost`
 * exactly once. Nothing is reported from within `start` itself.
 */
export interface Runner {
  /** What inputs and outputs may name besides the default repository. Default: `raw` alone. */
  readonly artifactDrivers?: readonly ArtifactDriver[];
  readonly start: (request: RunRequest, report: (report: RunReport) => void) => void;
  /** Ends the processes of a node: politely, and by force after the grace period. Unknown nodes are ignored. */
  readonly kill: (node: string, graceSeconds: number) => void;
  /** Ends everything by force, and resolves when nothing runs any more. */
  readonly close: () => Promise<void>;
}
