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
  /** Accepts connections, says something, and closes them: without waiting for the other side to speak. */
  | { readonly do: 'greet'; readonly at: HostAddress; readonly text: string }
  /** Connects and waits for what the other side says. */
  | { readonly do: 'hear'; readonly from: HostAddress }
  /** Makes a server take connections and requests and not answer, or answer again. */
  | { readonly do: 'hang'; readonly port: number; readonly isHanging: boolean }
  /** Forwards connections, and keeps what went through. */
  | { readonly do: 'tap'; readonly at: HostAddress; readonly to: HostAddress }
  /** Returns what callers have sent through a tap, in base64. */
  | { readonly do: 'tapped'; readonly port: number }
  /** Forwards connections to a unix socket, which all namespaces see. */
  | { readonly do: 'leave'; readonly at: HostAddress; readonly socketPath: string };

/** What came of a GET, or of a connection. */
export interface CallOutcome {
  /** The HTTP status, or the code of the error; `closed` for a connection that was closed. */
  readonly outcome: string;
  readonly text: string;
}
