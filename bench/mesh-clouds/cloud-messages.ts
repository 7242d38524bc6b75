/** Machines of a project that have stopped from now on. */
export interface CloudChange {
  readonly project: number;
  readonly stopped: readonly number[];
  /** Whether the subscription of the project gets an event. */
  readonly hasEvent: boolean;
}

export interface CloudReady {
  readonly type: 'ready';
  readonly port: number;
}

/** A change was read. */
export interface CloudServed {
  readonly type: 'served';
  readonly atMs: number;
}

/** Counts since the start of the cloud; sent when asked for with `count`. */
export interface CloudCounts {
  readonly type: 'counts';
  /** Of the API of machines. */
  readonly requests: number;
  readonly bytes: number;
  /** Of the queues of events. */
  readonly eventRequests: number;
}
