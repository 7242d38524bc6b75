import { availableParallelism, hostname, totalmem } from 'node:os';
import { join } from 'node:path';
import { type Clock, type Logger, systemClock } from '@chandlery/platform';
import { type BackOff, defaultBackOff } from '../../model/pods/back-off.ts';
import type { ImageMap } from '../../model/pods/images.ts';
import { nodeNameOf } from '../../model/pods/node-name.ts';
import type { PodTokens } from '../../ports.ts';
import { Launcher } from './isolation/launcher.ts';
import type { NodeNeeds } from './node-needs.ts';
import { PortPool } from './port-pool.ts';
import type { ProcessKeeper } from './process-keeper.ts';

/** How a node of processes is set up. */
export interface ProcessNodeOptions {
  /** Where pods' folders and logs live. One node at a time: whoever opens it kills what another left running. */
  readonly folder: string;
  /** What stands for which image; a function is asked at each start of a container. Default none. */
  readonly images?: ImageMap | (() => ImageMap);
  /** Where relative folders of images are. Default: the working folder. */
  readonly baseFolder?: string;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: this machine's. */
  readonly nodeName?: string;
  /** Variables for every container. Default none. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Who gives tokens to pods whose home does not. Default nobody: a pod that needs one waits with an error. */
  readonly tokens?: PodTokens;
  /** Of pods with the annotation `clusters.chandlery.io/isolation`. */
  readonly isolation?: {
    /** What they do not see, besides the node's folder. Default nothing more. */
    readonly hidden?: readonly string[];
    /** Run them without namespaces where the machine offers none, as the operator has decided. Default false: they fail. */
    readonly isOptional?: boolean;
    /** The Perl that makes the namespaces. Default: the one on `PATH`. */
    readonly perl?: string;
  };
  readonly limits?: {
    /** Default: Kubernetes' 10 s, doubling to 5 min, forgiven after 10 min. */
    readonly backOff?: BackOff;
    /** Of one log file; a process has two. Default 10 MiB. */
    readonly logBytes?: number;
    /** What pods get to end when the node is disposed. Default 5. */
    readonly disposeGraceSeconds?: number;
  };
  readonly logger?: Logger;
}

/** What the pods of a node need, with the defaults filled in. */
export function nodeNeeds(options: ProcessNodeOptions, podsFolder: string, keeper: ProcessKeeper): NodeNeeds {
  const { limits = {}, images = {}, isolation = {} } = options;
  const name = nodeNameOf(options.nodeName ?? hostname());
  return {
    clock: options.clock ?? systemClock,
    backOff: limits.backOff ?? defaultBackOff,
    keeper,
    ports: new PortPool(),
    images: typeof images === 'function' ? images : () => images,
    baseFolder: options.baseFolder ?? process.cwd(),
    machine: { name, cpus: availableParallelism(), memoryBytes: totalmem() },
    tokens: options.tokens,
    environment: options.environment ?? {},
    podsFolder,
    claimsFolder: join(options.folder, 'claims'),
    isolation: {
      launcher: new Launcher(options.folder, isolation.perl),
      hidden: [options.folder, ...(isolation.hidden ?? [])],
      isOptional: isolation.isOptional ?? false,
    },
    maxLogBytes: limits.logBytes ?? 10 * 1024 * 1024,
  };
}
