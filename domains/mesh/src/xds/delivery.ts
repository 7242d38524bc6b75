import type { ErrorDetail } from './messages.ts';

/**
 * How a request relates to the responses of its subscription, by its nonce:
 * `first`: no response has been sent on this stream, whatever the client remembers of an earlier one;
 * `latest`: it acknowledges or rejects the latest response;
 * `none`: it has no nonce;
 * `expired`: it refers to an older response.
 */
export type NonceRelation = 'first' | 'latest' | 'none' | 'expired';

/** A NACK, as status shows it. */
export interface Nack extends ErrorDetail {
  readonly atMs: number;
}

/** The result of a response. */
export interface DeliveryResult {
  readonly isRejected: boolean;
  /** When the oldest change in the response became known; undefined when it contained no change. */
  readonly changedAt: number | undefined;
}

/** A response that has been sent. */
interface SentResponse {
  readonly nonce: string;
  readonly version: string;
  readonly atMs: number;
  readonly changedAt: number | undefined;
}

/** Bounds the part of a client's error message that is kept. */
const maxErrorLength = 4_096;

/** The responses of one subscription: at most one is in flight, and its ACK or NACK is recorded. */
export class Delivery {
  #nonce: string | undefined;
  #isInFlight = false;
  /** Of the response in flight. */
  #changedAt: number | undefined;
  #sentVersion: string | undefined;
  #sentAtMs = 0;
  #ackedVersion: string | undefined;
  #ackedAtMs = 0;
  #nack: Nack | undefined;
  #sentCount = 0;
  #ackedCount = 0;
  #nackCount = 0;

  /** The nonce of the latest response; undefined before the first. */
  get nonce(): string | undefined {
    return this.#nonce;
  }

  /** Whether the latest response has been neither acknowledged nor rejected. */
  get isInFlight(): boolean {
    return this.#isInFlight;
  }

  get sentVersion(): string | undefined {
    return this.#sentVersion;
  }

  get sentAtMs(): number {
    return this.#sentAtMs;
  }

  get ackedVersion(): string | undefined {
    return this.#ackedVersion;
  }

  get ackedAtMs(): number {
    return this.#ackedAtMs;
  }

  /** Why the client rejected the latest response; undefined when it did not. */
  get nack(): Nack | undefined {
    return this.#nack;
  }

  get counts(): { readonly sent: number; readonly acked: number; readonly refused: number } {
    return { sent: this.#sentCount, acked: this.#ackedCount, refused: this.#nackCount };
  }

  relationOf(responseNonce: string): NonceRelation {
    if (this.#nonce === undefined) return 'first';
    if (responseNonce === this.#nonce) return 'latest';
    return responseNonce === '' ? 'none' : 'expired';
  }

  recordSent({ nonce, version, atMs, changedAt }: SentResponse): void {
    this.#nonce = nonce;
    this.#isInFlight = true;
    this.#changedAt = changedAt;
    this.#sentVersion = version;
    this.#sentAtMs = atMs;
    this.#sentCount++;
  }

  /**
   * Records the ACK or, with an error, the NACK of the latest response. Returns undefined when there was one already: a
   * client repeats the nonce with each change of its subscription. A rejected response is not sent again; the next one is.
   */
  acknowledge(error: ErrorDetail | undefined, atMs: number): DeliveryResult | undefined {
    if (!this.#isInFlight) return undefined;
    this.#isInFlight = false;
    if (error === undefined) {
      this.#ackedVersion = this.#sentVersion;
      this.#ackedAtMs = atMs;
      this.#ackedCount++;
      this.#nack = undefined;
    } else {
      this.#nack = { code: error.code, message: error.message.slice(0, maxErrorLength), atMs };
      this.#nackCount++;
    }
    return { isRejected: error !== undefined, changedAt: this.#changedAt };
  }
}
