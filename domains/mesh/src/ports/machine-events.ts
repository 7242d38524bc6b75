/** What a message in a queue of events means for an account. */
export type MachineEvent =
  /** Machines of the account have changed, so that it is to be read. */
  | { readonly type: 'change' }
  /** It is about something else, or malformed. The reason does not quote it. */
  | { readonly type: 'dropped'; readonly reason: string };

export interface ReceivedEvent {
  readonly event: MachineEvent;
  /** Removes the message from its queue. */
  readonly receipt: string;
}

/**
 * A queue into which a cloud puts the changes of an account's machines. Messages may come twice, late and in any order:
 * they only say that the account is to be read. It has no awareness of services.
 */
export interface MachineEvents {
  /** As the cloud calls it. */
  readonly name: string;
  /** Pause after an empty response: short for queues that respond when there are messages, or after a while. */
  readonly idlePauseMs: number;
  /** The most messages that one response should have. */
  readonly batch: number;
  /** Resolves with the messages that there are; those that are not removed come again. Rejects with a cloud error. */
  receive(max: number, signal: AbortSignal): Promise<readonly ReceivedEvent[]>;
  /** Removes messages; one that was removed before is no error. Rejects with a cloud error. */
  remove(receipts: readonly string[], signal: AbortSignal): Promise<void>;
}
