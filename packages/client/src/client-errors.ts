import { ChandleryError } from '@chandlery/api';

/** What can go wrong before the server has its say. */
export const clientErrorCodes = {
  /** The server does not respond, or the connection was cut. */
  ConnectionFailed: 'ConnectionFailed',
  /** The server's certificate is not trusted. */
  UntrustedServer: 'UntrustedServer',
  /** The answer did not come in time. */
  Timeout: 'Timeout',
  /** The answer is not what a Kubernetes API says. */
  UnexpectedAnswer: 'UnexpectedAnswer',
  /** A watch received no event for longer than its `idleTimeoutMs`. */
  WatchStalled: 'WatchStalled',
  /** The kubeconfig cannot be read or used. */
  KubeconfigInvalid: 'KubeconfigInvalid',
  /** The program does not run in a Pod. */
  NotInCluster: 'NotInCluster',
  /** A credential plug-in gave no credentials. */
  PluginFailed: 'PluginFailed',
} as const;
/** One of {@link clientErrorCodes}. */
export type ClientErrorCode = keyof typeof clientErrorCodes;

/** Explanations of what the system calls by a code. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens there',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up now',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the host does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'the host does not answer',
  UND_ERR_SOCKET: 'the connection was cut',
  EPROTO: 'it does not speak TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
};

/** Codes of undici and Node that mean "too late" rather than "not there". */
const timeoutCodes = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

const isTlsDistrust = (code: string): boolean =>
  /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA)/.test(code);

/** Turns a failure of the network into one of ours. */
export function connectionError(thrown: unknown, server: string): ChandleryError {
  if (thrown instanceof ChandleryError) return thrown;
  const code = codeOf(thrown);
  if (timeoutCodes.has(code)) return timeoutError(server, thrown);
  if (isTlsDistrust(code)) return untrustedServer(server, code, thrown);
  const reason = reasons[code] ?? (thrown instanceof Error ? thrown.message : String(thrown));
  return new ChandleryError('ConnectionFailed', `cannot talk to ${server}: ${reason}`, {
    hint: 'Start a landscape with "npm start" (npx chandlery up), or name another one with --kubeconfig.',
    cause: thrown,
  });
}

export const timeoutError = (server: string, cause?: unknown): ChandleryError =>
  new ChandleryError('Timeout', `${server} did not answer in time`, {
    hint: 'Try again; if it stays so, look at /readyz?verbose and the log of the server.',
    cause,
  });

const untrustedServer = (server: string, code: string, cause: unknown): ChandleryError =>
  new ChandleryError('UntrustedServer', `cannot trust ${server}: its certificate does not verify (${code})`, {
    hint: 'Use a kubeconfig that this server wrote: its certificate authority may have been replaced since, or another server listens on this port.',
    cause,
  });

export const unexpectedResponse = (what: string, cause?: unknown): ChandleryError =>
  new ChandleryError('UnexpectedAnswer', what, {
    hint: 'Is the server in the kubeconfig a Kubernetes API?',
    cause,
  });

export const watchStalled = (server: string, idleMs: number): ChandleryError =>
  new ChandleryError('WatchStalled', `the watch of ${server} received no events for ${idleMs} ms`, {
    hint: 'Watch again from the last resourceVersion.',
  });

export const pluginFailed = (
  command: string,
  why: string,
  more: { hint?: string; cause?: unknown } = {},
): ChandleryError =>
  new ChandleryError('PluginFailed', `the credential plug-in ${command} failed: ${why}`, {
    hint: more.hint ?? 'Run it by hand, and look at the "exec" part of the user in the kubeconfig.',
    cause: more.cause,
  });

const otherKubeconfig =
  'Start a landscape with "npm start" (npx chandlery up), which writes admin.kubeconfig into its data folder, ' +
  'or name another kubeconfig with --kubeconfig.';

export const kubeconfigInvalid = (
  place: string,
  why: string,
  { hint = otherKubeconfig, cause }: { readonly hint?: string; readonly cause?: unknown } = {},
): ChandleryError =>
  new ChandleryError('KubeconfigInvalid', `cannot use the kubeconfig ${place}: ${why}`, { hint, cause });

/** The code of an error or of what caused it: some wrap the one that counts. */
function codeOf(thrown: unknown): string {
  for (let error = thrown; error instanceof Error; error = error.cause ?? firstOf(error)) {
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code === 'string' && code !== 'UND_ERR_INFO') return code;
  }
  return '';
}

/** A host with several addresses fails with one error for each. */
const firstOf = (error: Error): unknown => (error instanceof AggregateError ? error.errors[0] : undefined);
