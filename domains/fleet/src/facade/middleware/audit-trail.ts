import { type JsonObject, toError } from '@chandlery/api';
import { type Logger, redact } from '@chandlery/platform';
import type { AuditStore } from '../../actions/audit-store.ts';
import type { AuditRow } from '../../registry/fleet-registry.ts';

type AuditSpec = AuditRow['spec'];

/** A call of an admin API. */
export type AuditedCall = Omit<AuditSpec, 'statusCode' | 'body'> & {
  /** Undefined: none was read. */
  readonly body: JsonObject | undefined;
};

const maxBodyBytes = 4096;
const maxPending = 10_000;
const maxBatch = 200;
/** Rejected calls in the audit trail. */
export const maxRejectedPerMinute = 300;

/**
 * The audit trail of the admin APIs. A call that may change something is written before it is carried out, so that no
 * change is without its entry, and completed before the response. All others are written in batches.
 */
export class AuditTrail {
  readonly #store: AuditStore;
  readonly #logger: Logger;
  #pending: AuditSpec[] = [];
  #flushing: Promise<void> = Promise.resolve();
  #minute = '';
  #rejectedInMinute = 0;

  constructor({ store, logger }: { readonly store: AuditStore; readonly logger: Logger }) {
    this.#store = store;
    this.#logger = logger;
  }

  /** Writes a call that is about to be carried out; until it is completed its status is 0. */
  async begin(call: AuditedCall): Promise<(statusCode: number) => Promise<void>> {
    const [id = ''] = await this.#store.create([entryOf(call, 0)]);
    return statusCode => this.#complete(id, statusCode);
  }

  /** Records a call that has changed nothing. */
  record(call: AuditedCall, statusCode: number): void {
    if (this.#pending.length >= maxPending) {
      this.#logger.error('an admin call is not in the audit trail: too many are waiting', { url: call.url });
      return;
    }
    this.#pending.push(entryOf(call, statusCode));
    if (this.#pending.length === 1) this.#flushing = this.#flushing.then(() => this.#flush());
  }

  /**
   * Records a call of a client that was not admitted. At most {@link maxRejectedPerMinute} per minute are kept, since
   * any client can make such calls; others are in the log.
   */
  recordRejected(call: AuditedCall, statusCode: number): void {
    const minute = call.at.slice(0, 'YYYY-MM-DDTHH:MM'.length);
    if (minute !== this.#minute) this.#rejectedInMinute = 0;
    this.#minute = minute;
    if (++this.#rejectedInMinute <= maxRejectedPerMinute) return this.record(call, statusCode);
    const { username, method, url, remoteAddress } = call;
    this.#logger.warn('an admin call was rejected', { username, method, url, remoteAddress, statusCode });
  }

  /** Resolves when everything recorded so far was written. */
  async flushed(): Promise<void> {
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.slice(0, maxBatch);
      try {
        await this.#store.create(batch);
      } catch (thrown) {
        this.#logger.error('admin calls are not in the audit trail', {
          calls: batch.length,
          error: toError(thrown).message,
        });
      }
      this.#pending = this.#pending.slice(batch.length);
    }
  }

  async #complete(id: string, statusCode: number): Promise<void> {
    try {
      await this.#store.complete(id, statusCode);
    } catch (thrown) {
      this.#logger.error('an entry of the audit trail has no status', {
        entry: id,
        statusCode,
        error: toError(thrown).message,
      });
    }
  }
}

const entryOf = ({ body, ...call }: AuditedCall, statusCode: number): AuditSpec => ({
  ...call,
  statusCode,
  ...(body === undefined ? {} : { body: textOf(body) }),
});

/** Without secrets, cut to a length. */
function textOf(body: JsonObject): string {
  const text = JSON.stringify(redact(body));
  return Buffer.byteLength(text) <= maxBodyBytes
    ? text
    : `${Buffer.from(text).subarray(0, maxBodyBytes).toString('utf8')}…`;
}
