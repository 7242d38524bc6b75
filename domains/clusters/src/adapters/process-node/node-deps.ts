import type { Clock } from '@chandlery/platform';
import type { BackOff } from '../../model/pods/back-off.ts';
import type { ImageMap } from '../../model/pods/images.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { Machine } from '../../model/pods/pod-fields.ts';
import type { PodHome, PodSources, PodTokens } from '../../ports.ts';
import type { Launcher } from './isolation/launcher.ts';
import type { PortPool } from './port-pool.ts';
import type { ProcessKeeper } from './process-keeper.ts';

/** The dependencies that the pods of one node share. */
export interface NodeDeps {
  readonly clock: Clock;
  readonly backOff: BackOff;
  readonly keeper: ProcessKeeper;
  readonly ports: PortPool;
  readonly images: () => ImageMap;
  readonly baseFolder: string;
  readonly machine: Machine;
  readonly tokens: PodTokens | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly podsFolder: string;
  readonly claimsFolder: string;
  readonly maxLogBytes: number;
  readonly isolation: NodeIsolation;
}

/** How the node isolates pods that request it. */
export interface NodeIsolation {
  readonly launcher: Launcher;
  /** Files and directories that isolated pods do not see. */
  readonly hidden: readonly string[];
  /** Whether isolated pods run without namespaces on a machine that offers none. */
  readonly isOptional: boolean;
}

/** The input of a pod; all but the spec may change while it runs. */
export interface PodGiven {
  readonly pod: Pod;
  readonly sources: PodSources;
  readonly home: PodHome;
}
