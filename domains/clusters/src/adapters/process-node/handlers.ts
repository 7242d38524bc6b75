import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { PortNumbers } from '../../kinds/dynamic-ports.ts';
import type { Container, Handler } from '../../model/pods/pod.ts';
import { resolvePort } from '../../model/pods/resolve-port.ts';

/** What a probe or hook found out. */
export interface Answer {
  readonly ok: boolean;
  readonly message?: string;
}

export interface HandlerNeeds {
  readonly container: Container;
  /** The numbers of ports that the node chose. Default none. */
  readonly ports?: PortNumbers;
  readonly timeoutMs: number;
  /** Runs a command in the container and gives its exit code and the last of its output. */
  exec(command: readonly string[], timeoutMs: number): Promise<Answer>;
}

const localhost = '127.0.0.1';

/** Does what a probe or hook asks for. Never throws: what goes wrong is the answer. */
export async function runHandler(handler: Handler, needs: HandlerNeeds): Promise<Answer> {
  try {
    return await dispatch(handler, needs);
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

async function dispatch(handler: Handler, needs: HandlerNeeds): Promise<Answer> {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  if (exec !== undefined) return needs.exec(exec.command ?? [], needs.timeoutMs);
  if (httpGet !== undefined) return getHttp(httpGet, needs);
  const socket = tcpSocket ?? grpc;
  if (socket !== undefined) return connectTcp(socket, needs);
  if (sleep !== undefined) await delay(sleep.seconds * 1000, undefined, { ref: false });
  return { ok: true };
}

function getHttp(get: NonNullable<Handler['httpGet']>, { container, ports, timeoutMs }: HandlerNeeds): Promise<Answer> {
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
  { container, ports, timeoutMs }: HandlerNeeds,
): Promise<Answer> {
  const port = resolvePort(container, target.port, ports);
  return new Promise(resolve => {
    const socket = connect({ host: target.host ?? localhost, port, timeout: timeoutMs });
    const finish = (answer: Answer): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('connect', () => finish({ ok: true }));
    socket.on('timeout', () => finish({ ok: false, message: 'timed out' }));
    socket.on('error', error => finish({ ok: false, message: error.message }));
  });
}
