import type { PlatformRow } from '../../model/rows.ts';
import type { PlatformCaller } from '../../ports.ts';
import type { EncodedNotification } from './encoded-notification.ts';
import type { LoggedNotification } from './notification-log.ts';

/** Why a consumer is sent away. */
export type CloseReason = 'shutdown' | 'credentials';

/** A connected proxy that receives notifications. */
export interface Consumer {
  readonly caller: PlatformCaller;
  /** Does nothing once it is closed. */
  send(notification: EncodedNotification): void;
  /** Ends the connection politely. */
  close(why: CloseReason): void;
  /** Ends the connection. */
  cut(): void;
}

/** How a connection is opened. */
export interface ConsumerOptions {
  readonly caller: PlatformCaller;
  /** What was missed; sent first. */
  readonly missed: readonly EncodedNotification[];
  readonly maxPingPeriodMs: number;
  /** Called for every sign of life. */
  readonly onSeen: () => void;
  /** Called when it is cut off because it does not read. */
  readonly onTooSlow: () => void;
}

/** All consumers connected to this replica, by platform. */
export class Consumers {
  readonly #byPlatform = new Map<string, Set<Consumer>>();

  add(consumer: Consumer): void {
    const { platformId } = consumer.caller;
    const others = this.#byPlatform.get(platformId);
    if (others === undefined) this.#byPlatform.set(platformId, new Set([consumer]));
    else others.add(consumer);
  }

  delete(consumer: Consumer): void {
    const { platformId } = consumer.caller;
    const left = this.#byPlatform.get(platformId);
    left?.delete(consumer);
    if (left?.size === 0) this.#byPlatform.delete(platformId);
  }

  get size(): number {
    let size = 0;
    for (const consumers of this.#byPlatform.values()) size += consumers.size;
    return size;
  }

  *all(): Iterable<Consumer> {
    for (const consumers of this.#byPlatform.values()) yield* consumers;
  }

  /** Sends a notification to its platforms. */
  readonly notify = ({ platformIds }: LoggedNotification, encoded: EncodedNotification): void => {
    const platforms = platformIds ?? this.#byPlatform.keys();
    for (const platformId of platforms)
      for (const consumer of this.#byPlatform.get(platformId) ?? []) consumer.send(encoded);
  };

  /** Sends those away whose credentials do not hold any more. `platform` is undefined when there is none any more. */
  check(platformId: string, platform: PlatformRow | undefined): void {
    const { credentials, oldCredentials } = platform?.status ?? {};
    const names = platform?.spec.technical === true ? [] : [credentials?.username, oldCredentials?.username];
    for (const consumer of [...(this.#byPlatform.get(platformId) ?? [])])
      if (!names.includes(consumer.caller.username)) consumer.close('credentials');
  }
}
