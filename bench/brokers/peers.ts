import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, freePort, type RunningProcess, startProcess } from '@chandlery/testing';
import { cpuSeconds } from '../kernel/process-usage.ts';
import type { LoadTarget } from './load-job.ts';
import { bareName, directName, type Subject } from './subject.ts';
import { brokerLogin } from './workload.ts';

const nginxPath = '/usr/sbin/nginx';

/** The `Authorization` of a user name and a password. */
export const basicAuth = ({ username, password }: { readonly username: string; readonly password: string }): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** Starts one of our small servers and waits for its port. */
async function startServer(file: string, args: readonly string[] = []): Promise<RunningProcess & { port: number }> {
  const running = await startProcess(process.execPath, [join(import.meta.dirname, file), ...args], {
    ready: /^port \d+$/m,
  });
  return { ...running, port: Number(/^port (\d+)$/m.exec(running.stdout())?.[1]) };
}

const subjectOf = (name: string, port: number, { pid }: RunningProcess): Subject => ({
  name,
  targets: [targetOf(port)],
  cpuSeconds: () => cpuSeconds(pid),
  isOurs: false,
});

const targetOf = (port: number): LoadTarget => ({ port, prefix: '', authorization: basicAuth(brokerLogin) });

/** The broker itself. */
export async function startBroker(stack: AsyncDisposableStack): Promise<{ url: string; subject: Subject }> {
  const broker = stack.use(await startServer('broker-process.ts'));
  return { url: `http://127.0.0.1:${broker.port}`, subject: subjectOf(directName, broker.port, broker) };
}

/** The shortest reverse proxy that Node allows. */
export async function startBareProxy(
  stack: AsyncDisposableStack,
  brokerUrl: string,
  connections: number,
): Promise<Subject> {
  const proxy = stack.use(await startServer('bare-proxy-process.ts', [brokerUrl, String(connections)]));
  return subjectOf(bareName, proxy.port, proxy);
}

/** nginx with one process, as ours are; undefined where it is not installed. */
export async function startNginx(
  stack: AsyncDisposableStack,
  brokerUrl: string,
  { folder, connections }: { readonly folder: string; readonly connections: number },
): Promise<Subject | undefined> {
  if (!existsSync(nginxPath)) return undefined;
  const port = await freePort();
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'nginx.conf');
  await writeFile(file, nginxConfiguration({ folder, port, connections, broker: new URL(brokerUrl).host }));
  const running = stack.use(await startProcess(nginxPath, ['-p', folder, '-e', 'stderr', '-c', file]));
  const isUp = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${port}/v2/catalog`)).status === 401;
  await eventually(isUp, { what: `nginx to answer (${running.output()})` });
  return subjectOf('nginx', port, running);
}

interface NginxSettings {
  readonly folder: string;
  readonly port: number;
  readonly connections: number;
  readonly broker: string;
}

const nginxConfiguration = ({ folder, port, connections, broker }: NginxSettings): string => `
daemon off;
master_process off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 100000000;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream broker { server ${broker}; keepalive ${connections}; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://broker;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`;
