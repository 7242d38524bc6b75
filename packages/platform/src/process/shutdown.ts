import { type Logger, silentLogger } from '../log/logger.ts';

/** How a process may end. */
export interface ShutdownOptions {
  /** After so long the process ends with code 1, whatever still runs. Default: 30 seconds. */
  readonly deadlineMs?: number;
  readonly logger?: Logger;
  /** A second signal forces the exit only after so long. Default: one second. */
  readonly repeatWithinMs?: number;
  /** Default `process.exit`. */
  readonly exit?: (code: number) => void;
}

interface StopStep {
  readonly name: string;
  readonly stop: () => void | Promise<void>;
}

const signals = { SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof signals;

/**
 * Ends a process in order: what was started last is stopped first, one after the other; a step that fails does not
 * keep the others from being stopped. `stop` may be called many times and does its work once.
 */
export class Shutdown implements AsyncDisposable {
  readonly #options: Required<ShutdownOptions>;
  readonly #steps: StopStep[] = [];
  #stopping: Promise<boolean> | undefined;
  #signalledAt = 0;

  constructor(options: ShutdownOptions = {}) {
    this.#options = {
      deadlineMs: 30_000,
      repeatWithinMs: 1000,
      logger: silentLogger,
      exit: code => process.exit(code),
      ...options,
    };
  }

  /** True as soon as the end has begun; readiness probes should say no from then on. */
  get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  /** Adds what has to be done at the end. */
  add(name: string, stop: () => void | Promise<void>): void {
    this.#steps.push({ name, stop });
  }

  /** Adds something disposable and hands it back. */
  use<T extends AsyncDisposable | Disposable>(name: string, resource: T): T {
    this.add(name, () =>
      Symbol.asyncDispose in resource ? Promise.resolve(resource[Symbol.asyncDispose]()) : resource[Symbol.dispose](),
    );
    return resource;
  }

  /** Stops everything; true when all of it went well. */
  stop(): Promise<boolean> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  /** Ends the process on SIGTERM and SIGINT; a second signal ends it at once. Disposing of the result stops listening. */
  listen(): Disposable {
    const handlers = (Object.keys(signals) as StopSignal[]).map(
      signal => [signal, () => this.#onSignal(signal)] as const,
    );
    for (const [signal, handler] of handlers) process.on(signal, handler);
    return { [Symbol.dispose]: () => handlers.forEach(([signal, handler]) => void process.off(signal, handler)) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #onSignal(signal: StopSignal): void {
    const { deadlineMs, logger, exit } = this.#options;
    if (this.isStopping) {
      // npm passes on a signal that its whole process group has got already: the same request, not an impatient one.
      if (performance.now() - this.#signalledAt < this.#options.repeatWithinMs) return;
      logger.warn('stopping at once', { signal });
      return exit(signals[signal]);
    }
    this.#signalledAt = performance.now();
    logger.info('stopping', { signal });
    const timer = setTimeout(() => {
      logger.error('not everything stopped in time', { deadlineMs });
      exit(1);
    }, deadlineMs);
    void this.stop().then(wentWell => {
      clearTimeout(timer);
      exit(wentWell ? 0 : 1);
    });
  }

  async #stopAll(): Promise<boolean> {
    let wentWell = true;
    // A step may be added while others are stopped; it is then next.
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      if (!(await this.#stopOne(step))) wentWell = false;
    }
    return wentWell;
  }

  async #stopOne({ name, stop }: StopStep): Promise<boolean> {
    const { logger } = this.#options;
    try {
      await stop();
      logger.debug('stopped', { part: name });
      return true;
    } catch (error) {
      logger.error('cannot stop a part', { part: name, error });
      return false;
    }
  }
}
