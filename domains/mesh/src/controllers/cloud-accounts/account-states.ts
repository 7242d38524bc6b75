import type { ChandleryError } from '@chandlery/api';
import type { PollRecord } from '../../model/clouds/poll-schedule.ts';
import type { AccountReader, AccountReading } from '../../ports/clouds.ts';

/** What is known of an account in this process. */
export interface AccountState {
  readonly last: PollRecord;
  /** The last reading that succeeded, at least in part. Undefined: none yet. */
  readonly reading?: AccountReading<unknown>;
  /** When it was read. */
  readonly readAt?: Date;
  /** Why it could not be read again, or not in all regions. Undefined: the reading is current. */
  readonly failure?: ChandleryError;
  /** When the first of the present failures in a row was noticed. */
  readonly failingSince?: Date;
  /** Kept, with its tokens, while `readerKey` is the same. */
  readonly reader?: AccountReader<unknown>;
  readonly readerKey: string;
}

/** The states of accounts, by the uid of their CloudAccount. */
export class AccountStates {
  readonly #states = new Map<string, AccountState>();

  get(uid: string): AccountState | undefined {
    return this.#states.get(uid);
  }

  set(uid: string, state: AccountState): void {
    this.#states.set(uid, state);
  }

  delete(uid: string): void {
    this.#states.delete(uid);
  }
}
