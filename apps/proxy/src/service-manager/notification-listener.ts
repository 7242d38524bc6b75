import { setTimeout as pause } from 'node:timers/promises';
import { isError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { failureFields } from '../model/failure-fields.ts';
import type { NotificationMessage } from '../ports.ts';
import {
  type ConnectionOptions,
  connectNotifications,
  type NotificationConnection,
  platformDeletedCode,
} from './notification-connection.ts';

export interface ListenerOptions extends Omit<ConnectionOptions, 'revision' | 'onMessage'> {
  readonly reconnectDelayMs: number;
  readonly logger: Logger;
  /** From which revision on; undefined when everything is to be compared. */
  readonly revision: () => number | undefined;
  /** The service manager has deleted the platform. Called once, after which nothing is connected to any more. */
  readonly onPlatformDeleted: () => void;
  /** The revision cannot be resumed from. */
  readonly onGone: () => void;
  /** Connected without a revision to resume from: everything is to be compared. */
  readonly onStart: (newest: number | undefined) => void;
  readonly onMessage: (message: NotificationMessage) => void;
}

/** Keeps a connection to the stream of notifications. */
export class NotificationListener implements AsyncDisposable {
  readonly #options: ListenerOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #connection: NotificationConnection | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Acknowledges the handled revision, if connected. */
  acknowledge(revision: number): void {
    this.#connection?.acknowledge(revision);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    this.#connection?.[Symbol.dispose]();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const isPauseNeeded = await this.#connectOnce();
      if (isPauseNeeded) await pause(this.#options.reconnectDelayMs, undefined, { signal }).catch(() => undefined);
    }
  }

  #endForGood(): false {
    this.#stopping.abort();
    this.#options.onPlatformDeleted();
    return false;
  }

  async #connectOnce(): Promise<boolean> {
    const { logger, onGone, onStart } = this.#options;
    const revision = this.#options.revision();
    try {
      using connection = await connectNotifications({ ...this.#options, revision });
      if (this.#stopping.signal.aborted) return false;
      this.#connection = connection;
      logger.info('listens to the service manager', { revision: revision ?? 'now' });
      if (revision === undefined) onStart(connection.newest);
      const why = await connection.ended;
      if (!this.#stopping.signal.aborted) logger.warn('lost the service manager', { why });
    } catch (thrown) {
      if (isError(thrown, 'Gone') && revision !== undefined) {
        onGone();
        return false;
      }
      if (isError(thrown, platformDeletedCode)) return this.#endForGood();
      logger.warn('cannot listen to the service manager', failureFields(thrown));
    } finally {
      this.#connection = undefined;
    }
    return true;
  }
}
