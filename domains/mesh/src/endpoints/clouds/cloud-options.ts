import type { RateLimit } from '@chandlery/platform';

/** How the APIs of a cloud are reached. */
export interface CloudConnectOptions {
  /** Address of a test server in place of all APIs of the cloud. Default: the cloud's. */
  readonly endpoint?: string;
  /** Of one account. Default: ten requests at once, five per second. */
  readonly rateLimit?: RateLimit;
  /** Called for each request, with the status of its response; undefined: there was none. Default: not called. */
  readonly onRequest?: (status: number | undefined) => void;
}
