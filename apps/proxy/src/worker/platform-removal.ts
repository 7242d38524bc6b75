import { type DeregisterOptions, deregister } from './deregister.ts';
import type { RemainingBroker } from './withdraw-brokers.ts';

/** Ends the proxy's work at a platform that the service manager has deleted. */
export class PlatformRemoval implements AsyncDisposable {
  readonly #options: Omit<DeregisterOptions, 'signal' | 'onProgress'>;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #remaining: readonly RemainingBroker[] = [];

  constructor(options: Omit<DeregisterOptions, 'signal' | 'onProgress'>) {
    this.#options = options;
  }

  /** Whether the platform was deleted. */
  get isRemoved(): boolean {
    return this.#running !== undefined;
  }

  /** What could not be deregistered so far. */
  get remaining(): readonly RemainingBroker[] {
    return this.#remaining;
  }

  /** Deregisters everything, after what runs now has ended. */
  begin(stopWorking: () => Promise<void>): void {
    const { signal } = this.#stop;
    const onProgress = (remaining: readonly RemainingBroker[]): void => void (this.#remaining = remaining);
    this.#options.logger.warn('the platform was deleted at the service manager: its brokers are deregistered');
    this.#running ??= stopWorking().then(() => deregister({ ...this.#options, signal, onProgress }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}
