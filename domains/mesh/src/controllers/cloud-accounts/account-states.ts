import type { ChandleryError } from '@chandlery/api';
import type { PollRecord } from '../../model/clouds/poll-schedule.ts';
import type { AccountReader, AccountReading, Cloud, CloudAccountSpec } from '../../ports/clouds.ts';

/** What is known of an account in this process. */
export interface AccountState {
  /** What was read, see `accountIdOf`. */
  readonly account: string;
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

/** Which account of a cloud a spec names, as settings of the operator do: such as `aws:123456789012`. */
export const accountIdOf = (cloud: Cloud, spec: CloudAccountSpec): string =>
  `${cloud.name}:${cloud.accountId(spec) ?? ''}`;

/** The states of accounts, by the uid of their CloudAccount. */
export class AccountStates {
  readonly #states = new Map<string, AccountState>();

  /** `account`: which one it is now. What was read of another one is of no use to it, only when that was. */
  get(uid: string, account: string): AccountState | undefined {
    const state = this.#states.get(uid);
    if (state === undefined || state.account === account) return state;
    return { account, last: state.last, readerKey: state.readerKey };
  }

  set(uid: string, state: AccountState): void {
    this.#states.set(uid, state);
  }

  delete(uid: string): void {
    this.#states.delete(uid);
  }
}
