import type { Clock } from '@chandlery/platform';
import type { Timers } from '@chandlery/runtime';
import type { CloudAccount } from '../../kinds/clouds/cloud-account.ts';
import type { CloudResource } from '../../kinds/clouds/cloud-resource.ts';
import type { Cloud, SecretEntries } from '../../ports/clouds.ts';
import type { AccountStates } from './account-states.ts';
import type { EventFollowers } from './event-followers.ts';

/** A Secret of the account's namespace. */
export interface ReadSecret {
  readonly entries: SecretEntries;
  /** Changes with each write. */
  readonly version: string;
}

/** With what an account is read. */
export interface AccountAccess {
  /** Undefined: the credentials of the server, or a missing Secret. */
  readonly secret: ReadSecret | undefined;
  /** Changes with the account and its credentials. */
  readonly key: string;
}

export interface CloudAccountDeps {
  /** The cloud that an account names; undefined when this landscape knows none such. */
  readonly cloudOf: (account: CloudAccount) => Cloud | undefined;
  /** The resources of an account, in the order of their names. */
  readonly resourcesOf: (account: CloudAccount) => readonly CloudResource[];
  /** Undefined for a missing Secret. */
  readonly readSecret: (namespace: string, name: string, signal: AbortSignal) => Promise<ReadSecret | undefined>;
  /**
   * Whether the operator lets a namespace of this cluster use the credentials of the server for an account or a queue of
   * events, such as `aws:123456789012`.
   */
  readonly mayUseServerCredentials: (id: string, namespace: string) => boolean;
  readonly states: AccountStates;
  readonly followers: EventFollowers;
  /** What an earlier step of the same reconcile has found. */
  readonly found: { access?: AccountAccess };
  /** Called after the state of an account has changed. */
  readonly onRead: (account: CloudAccount) => void;
  /** A read may take minutes. */
  readonly clock: Clock;
  readonly timers: Timers;
  /** Longer reads fail. */
  readonly readTimeoutMs: number;
  /** From 0 up to but not 1. */
  readonly random: () => number;
}
