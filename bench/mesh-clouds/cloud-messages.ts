/** Machines of a project that have stopped from now on. */
export interface CloudChange {
  readonly project: number;
  readonly stopped: readonly number[];
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
