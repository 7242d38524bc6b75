import { eventually, type TestLandscape } from '@chandlery/testing';

export interface PersistentRequest {
  readonly body?: unknown;
  /** Default: the administrator's. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PersistentReply {
  readonly status: number;
  readonly text: string;
}

const outageMs = 60_000;

/** Sends a request until a server answers it: one that was killed returns. What was sent before may have had its effect. */
export const callUntilAnswered = (
  landscape: TestLandscape,
  [method, path]: readonly [method: string, path: string],
  request: PersistentRequest = {},
): Promise<PersistentReply> =>
  eventually(
    async () => {
      const { status, text } = await landscape.request(path, { method, ...request });
      return status < 502 && { status, text };
    },
    { timeoutMs: outageMs, pauseMs: 50, what: `an answer to ${method} ${path}` },
  );
