/** Where a TCP server listens. */
export interface HostAddress {
  readonly host: string;
  readonly port: number;
}

/** What a host of a {@link file://./start-network.ts network} is asked to do, in its own namespace. */
export type HostCommand =
  /** Sends a GET on a connection of its own. */
  | { readonly do: 'get'; readonly url: string }
  /** Serves HTTP, with the same text for each path. */
  | { readonly do: 'serve'; readonly at: HostAddress; readonly text: string }
  /** Makes a server take connections and requests and not answer, or answer again. */
  | { readonly do: 'hang'; readonly port: number; readonly isHanging: boolean }
  /** Forwards connections, and keeps what went through. */
  | { readonly do: 'tap'; readonly at: HostAddress; readonly to: HostAddress }
  /** Returns what callers have sent through a tap, in base64. */
  | { readonly do: 'tapped'; readonly port: number }
  /** Forwards connections to a unix socket, which all namespaces see. */
  | { readonly do: 'leave'; readonly at: HostAddress; readonly socketPath: string };

/** What came of a GET. */
export interface GetOutcome {
  /** The HTTP status, or the code of the error. */
  readonly outcome: string;
  readonly text: string;
}
