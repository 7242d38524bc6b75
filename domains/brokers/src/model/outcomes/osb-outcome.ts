import type { ChandleryError, JsonObject } from '@chandlery/api';
import type { SmError } from '../../errors.ts';
import type { BrokerResponse } from './broker-response.ts';

/** What a broker is asked to change. */
export type OsbChange = 'provision' | 'update' | 'deprovision' | 'bind' | 'unbind';

/** What was asked: a change, how far a change is, or only a question (catalog, instance, binding). */
export type OsbVerb = OsbChange | `poll-${OsbChange}` | 'read';

/** How a call to a broker ended. */
export type OsbOutcome =
  | { readonly type: 'succeeded'; readonly body: JsonObject }
  /** 202: the broker works on it, under a name of its own. */
  | {
      readonly type: 'accepted';
      readonly operation?: string;
      readonly body: JsonObject;
      readonly retryAfterSeconds?: number;
    }
  /** A poll without a final state. `description`: the broker's, for users. `error`: why the poll was inconclusive. */
  | {
      readonly type: 'in progress';
      readonly description?: string;
      readonly retryAfterSeconds?: number;
      readonly error?: SmError;
    }
  /** Not taken just now, and nothing happened: the same request may be sent again later. */
  | { readonly type: 'retry'; readonly error: SmError; readonly retryAfterSeconds?: number }
  /**
   * `mitigate`: the broker may have the resource, so it must be deleted until the broker confirms the deletion. The
   * facts of the error hold what the broker reports about the instance after a failed update or deletion.
   */
  | { readonly type: 'failed'; readonly error: SmError; readonly mitigate: boolean };

/** A call, and its answer or why there is none. */
export type CompletedCall = {
  readonly verb: OsbVerb;
  /** For sentences. */
  readonly brokerName: string;
  /** Whether the request allowed a 202 response. Default true. */
  readonly acceptsIncomplete?: boolean;
} & ({ readonly response: BrokerResponse } | { readonly failure: ChandleryError });
