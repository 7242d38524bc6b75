import type { ChandleryError, CustomKind } from '@chandlery/api';
import type { CloudAccount } from '../kinds/clouds/cloud-account.ts';
import type { CloudResource } from '../kinds/clouds/cloud-resource.ts';
import type { Resolution } from '../model/clouds/cloud-machine.ts';
import type { MachineEvents } from './machine-events.ts';

export type CloudAccountSpec = CloudAccount['spec'];
export type CloudResourceSpec = CloudResource['spec'];

/** The entries of a Secret, decoded. */
export type SecretEntries = Readonly<Record<string, string>>;

export interface ConnectOptions {
  readonly account: CloudAccountSpec;
  /** Undefined: the credentials of the server. */
  readonly secret: SecretEntries | undefined;
}

/** What one poll of an account has read. */
export interface AccountReading<Inventory> {
  readonly inventory: Inventory;
  /** Regions, zones or groups that could not be read: their endpoints stay as they are. Default: all were read. */
  readonly unread?: { readonly places: readonly string[]; readonly error: ChandleryError };
}

/** Reads one account of a cloud. */
export interface AccountReader<Inventory> {
  /**
   * Reads the machines of the account once, for all its resources: all pages, and only what these resources need.
   * Rejects with one of {@link cloudErrorCodes} when nothing could be read.
   */
  read(resources: readonly CloudResourceSpec[], signal: AbortSignal): Promise<AccountReading<Inventory>>;
}

/** A cloud whose machines can serve services. It has no awareness of policies and proxies. */
export interface Cloud<Inventory = unknown> {
  /** Such as `aws`. */
  readonly name: string;
  readonly resources: CustomKind<CloudResource>;
  /** The account that a spec names, in the words of its cloud; undefined when it names one of another cloud. */
  accountId(account: CloudAccountSpec): string | undefined;
  /**
   * Makes a reader, which is kept while account and credentials stay the same. Makes no calls. Rejects with
   * `CloudCredentialsInvalid`.
   */
  connect(options: ConnectOptions): Promise<AccountReader<Inventory>>;
  /**
   * The queues of events that an account names, as the operator allows them for the credentials of the server: such as
   * `aws:arn:aws:sqs:…`. Empty when it names none.
   */
  eventQueuesOf(account: CloudAccountSpec): readonly string[];
  /** Makes the readers of these queues. Makes no calls. Rejects with `CloudCredentialsInvalid`. */
  connectEvents(options: ConnectOptions): Promise<readonly MachineEvents[]>;
  /** What of a resource decides which questions the cloud is asked: others are not asked for its changes. */
  demandOf(resource: CloudResourceSpec): unknown;
  /** Finds the machines of a resource in what was read. Pure. */
  resolve(resource: CloudResourceSpec, inventory: Inventory): Resolution;
  /** How many machines were read. */
  countMachines(inventory: Inventory): number;
}

/** Errors of readers, by code; each is a reason of the condition `Ready`. */
export const cloudErrorCodes = {
  /** The credentials lack a right, or are not accepted. */
  CloudDenied: 'CloudDenied',
  /** Too many requests; `retryAfterSeconds` may say how long to wait. */
  CloudThrottled: 'CloudThrottled',
  /** No response, or one that makes no sense. */
  CloudUnreachable: 'CloudUnreachable',
  /** The credentials belong to another account than the named one. */
  CloudAccountMismatch: 'CloudAccountMismatch',
  /** A queue of events does not exist. */
  CloudQueueMissing: 'CloudQueueMissing',
  /** The accounts of a cluster name more queues of events than are followed. */
  CloudQueuesTooMany: 'CloudQueuesTooMany',
  /** There are no usable credentials. */
  CloudCredentialsInvalid: 'CloudCredentialsInvalid',
  /** The operator does not allow the credentials of the server for this account. */
  CloudAccountNotAllowed: 'CloudAccountNotAllowed',
} as const;
