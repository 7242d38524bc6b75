import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { pluginFailed } from './client-errors.ts';
import type { ClientCertificate, ExecPlugin } from './connection.ts';

/** What a plug-in gave. */
export interface ExecCredentials {
  readonly token?: string;
  readonly clientCertificate?: ClientCertificate;
  /** Infinity when they hold for ever. */
  readonly expiresAtMs: number;
}

/** Long enough for a round trip to any identity provider; there is no user to type. */
const timeoutMs = 60_000;
const maxOutputBytes = 1 << 20;

/** Runs the plug-in when its last credentials are over, once for all who wait. */
export class ExecCredentialSource {
  readonly #plugin: ExecPlugin;
  readonly #now: () => number;
  #known: ExecCredentials | undefined;
  #running: Promise<ExecCredentials> | undefined;

  constructor(plugin: ExecPlugin, now: () => number = Date.now) {
    this.#plugin = plugin;
    this.#now = now;
  }

  async current(): Promise<ExecCredentials> {
    if (this.#known !== undefined && this.#now() < this.#known.expiresAtMs) return this.#known;
    this.#running ??= runPlugin(this.#plugin).finally(() => {
      this.#running = undefined;
    });
    this.#known = await this.#running;
    return this.#known;
  }

  /** The server did not like them: the next ones are fresh. */
  forget(): void {
    this.#known = undefined;
  }
}

async function runPlugin(plugin: ExecPlugin): Promise<ExecCredentials> {
  const { command, args, env, apiVersion, clusterInfo } = plugin;
  const spec = { interactive: false, ...(clusterInfo === undefined ? {} : { cluster: clusterInfo }) };
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec });
  const running = promisify(execFile)(command, args, {
    env: { ...process.env, ...env, KUBERNETES_EXEC_INFO: info },
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: maxOutputBytes,
  });
  // It reads the end of its input instead of waiting for a user. A plug-in that has exited already ignores it.
  running.child.stdin?.on('error', () => {}).end();
  try {
    return readCredentials(plugin, (await running).stdout);
  } catch (thrown) {
    throw failureOf(plugin, thrown);
  }
}

function failureOf({ command, installHint }: ExecPlugin, thrown: unknown): Error {
  const { code, killed, stderr } = thrown as { code?: unknown; killed?: boolean; stderr?: string };
  if (code === 'PluginFailed') return thrown as Error;
  if (code === 'ENOENT')
    return pluginFailed(command, 'it is not installed', {
      ...(installHint === undefined ? {} : { hint: installHint.trim() }),
      cause: thrown,
    });
  if (killed === true) return pluginFailed(command, `it gave no answer within ${timeoutMs} ms`, { cause: thrown });
  const said = stderr?.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
  return pluginFailed(command, `it ended with ${String(code)}${said === '' ? '' : `: ${said}`}`, { cause: thrown });
}

interface Answer {
  readonly kind?: unknown;
  readonly apiVersion?: unknown;
  readonly status?: {
    readonly token?: unknown;
    readonly clientCertificateData?: unknown;
    readonly clientKeyData?: unknown;
    readonly expirationTimestamp?: unknown;
  } | null;
}

/** Reads the answer; nothing of it may be shown, it is secret. */
function readCredentials({ command, apiVersion }: ExecPlugin, text: string): ExecCredentials {
  const answer = parseAnswer(text);
  if (answer?.kind !== 'ExecCredential') throw pluginFailed(command, 'its answer is no ExecCredential');
  if (answer.apiVersion !== apiVersion)
    throw pluginFailed(command, `it answers in version ${String(answer.apiVersion)} instead of ${apiVersion}`);
  const { token, clientCertificateData: certificatePem, clientKeyData: privateKeyPem } = answer.status ?? {};
  const hasToken = isText(token);
  const hasCertificate = isText(certificatePem) && isText(privateKeyPem);
  if (isText(certificatePem) !== isText(privateKeyPem))
    throw pluginFailed(command, 'it gave only one of certificate and key');
  if (!hasToken && !hasCertificate) throw pluginFailed(command, 'it gave neither a token nor a certificate');
  return {
    ...(hasToken ? { token } : {}),
    ...(hasCertificate ? { clientCertificate: { certificatePem, privateKeyPem } } : {}),
    expiresAtMs: expiryOf(command, answer.status?.expirationTimestamp),
  };
}

function parseAnswer(text: string): Answer | null | undefined {
  try {
    return JSON.parse(text) as Answer | null;
  } catch {
    return undefined;
  }
}

function expiryOf(command: string, timestamp: unknown): number {
  if (timestamp === undefined || timestamp === null) return Number.POSITIVE_INFINITY;
  const at = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  if (Number.isNaN(at)) throw pluginFailed(command, 'its expirationTimestamp is no time');
  return at;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
