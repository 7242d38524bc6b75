import { availableParallelism, hostname, totalmem } from 'node:os';
import { join } from 'node:path';
import { type Clock, type Logger, systemClock } from '@chandlery/platform';
import { type BackOff, defaultBackOff } from '../../model/pods/back-off.ts';
import type { ImageMap } from '../../model/pods/images.ts';
import { nodeNameOf } from '../../model/pods/node-name.ts';
import type { PodTokens } from '../../ports.ts';
import { Launcher } from './isolation/launcher.ts';
import type { NodeDeps } from './node-deps.ts';
import { PortPool } from './port-pool.ts';
import type { ProcessKeeper } from './process-keeper.ts';

/** The options of a node that runs processes. */
export interface ProcessNodeOptions {
  /** The folder of pods and logs. One node at a time: a node that opens it kills what another one left running. */
  readonly folder: string;
  /** The programs of images; a function is called at each start of a container. Default none. */
  readonly images?: ImageMap | (() => ImageMap);
  /** The base of relative folders of images. Default: the working directory. */
  readonly baseFolder?: string;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: this machine's. */
  readonly nodeName?: string;
  /** Variables for every container. Default none. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Issues tokens for pods whose home does not. Default none: a pod that needs one waits with an error. */
  readonly tokens?: PodTokens;
  /** For pods with the annotation `clusters.chandlery.io/isolation`. */
  readonly isolation?: {
    /** Paths that they do not see, besides the node's folder. Default none. */
    readonly hidden?: readonly string[];
    /**
     * Run them without namespaces on a machine that offers none, as decided by the operator. Default false: they fail.
     */
    readonly isOptional?: boolean;
    /** The Perl that creates the namespaces. Default: the one on `PATH`. */
    readonly perl?: string;
  };
  readonly limits?: {
    /** Default: Kubernetes' 10 s, doubled up to 5 min, reset after 10 min. */
    readonly backOff?: BackOff;
    /** The size of one log file; a process has two. Default 10 MiB. */
    readonly logBytes?: number;
    /** The grace period of pods when the node is disposed of. Default 5. */
    readonly disposeGraceSeconds?: number;
  };
  readonly logger?: Logger;
}

/** The dependencies of a node's pods, with defaults filled in. */
export function createNodeDeps(options: ProcessNodeOptions, podsFolder: string, keeper: ProcessKeeper): NodeDeps {
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
