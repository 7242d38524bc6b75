import type { NotificationRow } from '../../model/rows.ts';
import { textFrame } from './text-frame.ts';

/** The content of a notification. */
export interface NotificationContent extends Pick<NotificationRow, 'id' | 'revision' | 'createdAt' | 'updatedAt'> {
  readonly spec: NotificationRow['spec'];
}

/** An encoded notification. Each encoding is made once and shared by all receivers: the bytes must not be changed. */
export class EncodedNotification {
  readonly revision: number;
  readonly #json: string;
  #frame: Buffer | undefined;
  #line: Buffer | undefined;
  #event: Buffer | undefined;

  constructor(notification: NotificationContent) {
    this.revision = notification.revision;
    this.#json = JSON.stringify(viewOf(notification));
  }

  /** About what it takes in memory. */
  get size(): number {
    return 2 * this.#json.length;
  }

  /** For WebSockets: one whole text message. */
  get frame(): Buffer {
    this.#frame ??= textFrame(this.#json);
    return this.#frame;
  }

  /** For streams of JSON: one line. */
  get line(): Buffer {
    this.#line ??= Buffer.from(`${this.#json}\n`);
    return this.#line;
  }

  /** For streams of server-sent events, resumable by its id. */
  get event(): Buffer {
    this.#event ??= Buffer.from(`id: ${this.revision}\ndata: ${this.#json}\n\n`);
    return this.#event;
  }
}

function viewOf({ id, revision, createdAt, updatedAt, spec }: NotificationContent): object {
  const { resource, type, platformIds, payload, correlationId = '' } = spec;
  const [platformId, ...others] = platformIds ?? [];
  // The bytes are shared, and a platform must not learn which other platforms receive them.
  const isForOne = platformId !== undefined && others.length === 0;
  return {
    id,
    resource,
    type,
    ...(isForOne ? { platform_id: platformId } : {}),
    revision,
    payload,
    correlation_id: correlationId,
    ready: true,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}
