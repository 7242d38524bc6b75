import { join } from 'node:path';
import { type RunningProcess, startProcess } from '@chandlery/testing';

/** With what a platform logs in to the service manager. */
export interface PlatformLogin {
  readonly username: string;
  readonly password: string;
}

export interface ProxyFlags {
  readonly serviceManagerUrl: string;
  readonly serviceManagerCa: string;
  readonly login: PlatformLogin;
  /** What is particular to the platform. */
  readonly flags: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const program = join(import.meta.dirname, '../../../../apps/proxy/bin/chandlery-proxy.mjs');

/** Everything that a proxy waits for is short here. */
const quick = ['--reconnect-delay-ms', '100', '--retry-delay-ms', '100', '--port', '0'];

/** Starts the proxy of a platform in a process of its own. */
export const startProxyProcess = (options: ProxyFlags): Promise<RunningProcess> =>
  startProcess(
    process.execPath,
    [
      program,
      '--service-manager-url',
      options.serviceManagerUrl,
      '--service-manager-ca',
      options.serviceManagerCa,
      '--service-manager-user',
      options.login.username,
      ...quick,
      ...options.flags,
    ],
    {
      env: { CHANDLERY_PROXY_SERVICE_MANAGER_PASSWORD: options.login.password, ...options.env },
      ready: /the broker proxy runs/,
    },
  );
