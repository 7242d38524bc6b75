import type { ErrorDetail } from './messages.ts';
import type { Substream } from './substream.ts';

/**
 * What the nonce of a request says of it:
 * `first`: nothing has been sent yet, whatever a client remembers of an earlier stream;
 * `answer`: it answers the latest response;
 * `unprompted`: it answers nothing;
 * `expired`: it answers an older response.
 */
export type NonceVerdict = 'first' | 'answer' | 'unprompted' | 'expired';

export function judgeNonce({ nonce }: Substream, responseNonce: string): NonceVerdict {
  if (nonce === undefined) return 'first';
  if (responseNonce === nonce) return 'answer';
  return responseNonce === '' ? 'unprompted' : 'expired';
}

/** What came of a response. */
export interface Outcome {
  readonly isRefused: boolean;
  /** When the oldest change that it told became known; undefined when it told none. */
  readonly changedAt: number | undefined;
}

/** Of what clients say about their refusals so much is kept. */
const longestMessage = 4_096;

/**
 * Notes the answer to the latest response. Undefined when it has been answered before: a client repeats the nonce with
 * each change of its subscription. A refused response is not sent again; what comes next is.
 */
export function acknowledge(substream: Substream, error: ErrorDetail | undefined, atMs: number): Outcome | undefined {
  const { flight } = substream;
  if (flight === undefined) return undefined;
  substream.flight = undefined;
  if (error === undefined) {
    substream.ackedVersion = substream.sentVersion;
    substream.ackedAtMs = atMs;
    substream.ackedCount++;
    substream.refusal = undefined;
  } else {
    substream.refusal = { code: error.code, message: error.message.slice(0, longestMessage), atMs };
    substream.refusedCount++;
  }
  return { isRefused: error !== undefined, changedAt: flight.changedAt };
}
