import { setTimeout as sleep } from 'node:timers/promises';
import { ChandleryError, isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type Logger, rejectionOf } from '@chandlery/platform';
import { SharedInformers } from '@chandlery/runtime';
import type { AccessRequirement } from '../model/access-requirements.ts';
import type { ClusterConnection } from '../objects/cluster-connection.ts';
import { Access, type AccessState } from './access.ts';
import { ConnectionPool } from './connection-pool.ts';

export interface OpenAccessOptions {
  readonly provider: string;
  readonly platform: Client;
  readonly requirement: AccessRequirement;
  readonly connect?: (kubeconfig: string) => Client;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Default: no limit. */
  readonly timeoutMs?: number;
}

/** Access of the provider itself to a cluster. Disposing of it closes the connection and keeps the access. */
export interface OpenAccess extends AsyncDisposable {
  readonly connection: ClusterConnection;
  /** Gives the access back and waits until its requests are deleted. */
  release(): Promise<void>;
}

/** Requests access and waits until it is granted. Throws `AccessTimeout` and `AccessDenied`. */
export async function openAccess(options: OpenAccessOptions): Promise<OpenAccess> {
  const { provider, platform, requirement, connect, logger, timeoutMs } = options;
  await using stack = new AsyncDisposableStack();
  const pool = stack.use(new ConnectionPool({ platform, logger, ...(connect && { connect }) }));
  const informers = stack.use(new SharedInformers());
  const access = new Access({ provider, platform, informers, pool });
  const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([options.signal, ...(limit === undefined ? [] : [limit])]);
  await Promise.race([informers.synced(), rejectionOf(signal)]);
  using waiting = new WaitingLog(logger);
  const connection = await untilReady(access, requirement, signal, message => waiting.tell(message)).catch(
    (error: unknown) => {
      throw limit?.aborted && !options.signal.aborted ? tooLate(requirement, waiting.last) : error;
    },
  );
  const all = stack.move();
  return {
    connection,
    release: () => untilReleased(access, requirement, options.signal),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Access is mostly granted within a moment: only what takes longer is logged. */
const quietMs = 2000;

/** Logs what is waited for, once it takes long, and then each change. */
class WaitingLog implements Disposable {
  readonly #logger: Pick<Logger, 'info'>;
  readonly #timer: NodeJS.Timeout;
  #isQuiet = true;
  #last = '';

  constructor(logger: Pick<Logger, 'info'>) {
    this.#logger = logger;
    this.#timer = setTimeout(() => {
      this.#isQuiet = false;
      if (this.#last !== '') logger.info(this.#last);
    }, quietMs).unref();
  }

  get last(): string {
    return this.#last;
  }

  tell(message: string): void {
    if (message !== this.#last && !this.#isQuiet) this.#logger.info(message);
    this.#last = message;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

async function untilReady(
  access: Access,
  requirement: AccessRequirement,
  signal: AbortSignal,
  tell: (message: string) => void,
): Promise<ClusterConnection> {
  for (;;) {
    const change = nextChange(access, signal);
    const state = await access.ensure(requirement, signal).catch(notYet);
    if (state.type === 'ready') return state.connection;
    if (state.type === 'waiting') tell(state.message);
    await change;
    signal.throwIfAborted();
  }
}

/** The Secret may be written a moment after the grant. */
function notYet(error: unknown): AccessState {
  if (!isError(error, 'AccessIncomplete', 'NotFound')) throw error;
  return { type: 'waiting', message: error.message };
}

async function untilReleased(access: Access, requirement: AccessRequirement, signal: AbortSignal): Promise<void> {
  for (;;) {
    const change = nextChange(access, signal);
    if ((await access.release(requirement, signal)) === undefined) return;
    await change;
    signal.throwIfAborted();
  }
}

/** Resolves when requests change, or after a delay: some changes, such as those of a Secret, are not watched. */
async function nextChange({ accessRequests, clusterRequests }: Access, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const ended = new AbortController();
  const listener = { updated: () => resolve(), deleted: () => resolve() };
  const unlisten = [accessRequests.listen(listener), clusterRequests.listen(listener)];
  const pause = sleep(2000, undefined, { signal: AbortSignal.any([signal, ended.signal]) }).catch(() => undefined);
  await Promise.race([promise, pause]);
  ended.abort();
  for (const stop of unlisten) stop();
}

const tooLate = ({ title, place }: AccessRequirement, last: string): ChandleryError =>
  new ChandleryError('AccessTimeout', `access to ${title} was not granted in time${last === '' ? '' : `: ${last}`}`, {
    hint: `See AccessRequest ${place.namespace}/${place.name} on the platform cluster.`,
  });
