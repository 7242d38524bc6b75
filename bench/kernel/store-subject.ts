/** A store under measurement: ours in process, or another one through its usual client. */
export interface StoreSubject extends AsyncDisposable {
  readonly name: 'sqlite' | 'postgres' | 'etcd';
  /** The process that does the work, when it is another one. */
  readonly serverPid?: number;
  /** One durable write of its own, never joined with others by the caller. */
  put(name: string, value: Buffer): Promise<void>;
  get(name: string): Promise<void>;
  /** Starts watchers of one collection; each calls `onDelivered` once for each change. Returns how to stop them. */
  watch(count: number, onDelivered: () => void): Promise<() => Promise<void>>;
}

/** The value that everything is measured with. */
export const kilobyte = Buffer.alloc(1024, '{"some":"json"} ');
