import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { PortNumbers } from '../../kinds/dynamic-ports.ts';
import type { Container, Handler } from '../../model/pods/pod.ts';
import { resolvePort } from '../../model/pods/resolve-port.ts';

/** The result of a probe or hook. */
export interface ProbeResult {
  readonly ok: boolean;
  readonly message?: string;
}

export interface HandlerDeps {
  readonly container: Container;
  /** The port numbers that the node assigned. Default none. */
  readonly ports?: PortNumbers;
  readonly timeoutMs: number;
  /** Runs a command in the container and returns its exit code and the end of its output. */
  exec(command: readonly string[], timeoutMs: number): Promise<ProbeResult>;
}

const localhost = '127.0.0.1';

/** Runs a probe or hook. Never throws: failures are results. */
export async function runHandler(handler: Handler, deps: HandlerDeps): Promise<ProbeResult> {
  try {
    return await dispatch(handler, deps);
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

async function dispatch(handler: Handler, deps: HandlerDeps): Promise<ProbeResult> {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  if (exec !== undefined) return deps.exec(exec.command ?? [], deps.timeoutMs);
  if (httpGet !== undefined) return getHttp(httpGet, deps);
  const socket = tcpSocket ?? grpc;
  if (socket !== undefined) return connectTcp(socket, deps);
  if (sleep !== undefined) await delay(sleep.seconds * 1000, undefined, { ref: false });
  return { ok: true };
}

function getHttp(
  get: NonNullable<Handler['httpGet']>,
  { container, ports, timeoutMs }: HandlerDeps,
): Promise<ProbeResult> {
  const request = get.scheme?.toUpperCase() === 'HTTPS' ? requestHttps : requestHttp;
  const headers = { 'user-agent': 'kube-probe/chandlery', accept: '*/*', ...toHeaders(get.httpHeaders ?? []) };
  const path = `/${get.path ?? ''}`.replace(/^\/\//, '/');
  const port = resolvePort(container, get.port, ports);
  const signal = AbortSignal.timeout(timeoutMs);
  const options = { host: get.host ?? localhost, port, path, headers, agent: false, signal, rejectUnauthorized: false };
  return new Promise(resolve => {
    const outgoing = request(options, response => {
      const { statusCode = 0 } = response;
      response.destroy();
      const ok = statusCode >= 200 && statusCode < 400;
      resolve(ok ? { ok } : { ok, message: `HTTP probe failed with statuscode: ${statusCode}` });
    });
    outgoing.on('error', error => resolve({ ok: false, message: signal.aborted ? 'timed out' : error.message }));
    outgoing.end();
  });
}

const toHeaders = (headers: readonly { readonly name: string; readonly value: string }[]): Record<string, string> =>
  Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]));

function connectTcp(
  target: { readonly port: number | string; readonly host?: string },
  { container, ports, timeoutMs }: HandlerDeps,
): Promise<ProbeResult> {
  const port = resolvePort(container, target.port, ports);
  return new Promise(resolve => {
    const socket = connect({ host: target.host ?? localhost, port, timeout: timeoutMs });
    const finish = (answer: ProbeResult): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('connect', () => finish({ ok: true }));
    socket.on('timeout', () => finish({ ok: false, message: 'timed out' }));
    socket.on('error', error => finish({ ok: false, message: error.message }));
  });
}
