import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { freePorts, startProcess } from '@chandlery/testing';
import { Etcd3 } from 'etcd3';
import type { StoreSubject } from './store-subject.ts';

/** Where etcd is installed; says how to install it when it is not. */
export function findEtcd(): string {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map(folder => join(folder, 'etcd'))
    .find(path => existsSync(path));
  if (found !== undefined) return found;
  throw new ChandleryError('EtcdMissing', 'etcd is not installed', {
    hint: 'install it with "apt-get install etcd-server", or run without it: npm run bench -- kernel --no-etcd',
  });
}

/** A real etcd with its own settings, but for the folder and the ports. It syncs every write. */
export async function openEtcdSubject(folder: string): Promise<StoreSubject> {
  const [port = 0, peerPort = 0] = await freePorts(2);
  const url = `http://127.0.0.1:${port}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  const flags = [
    ...['--data-dir', folder, '--listen-client-urls', url, '--advertise-client-urls', url],
    ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
    ...['--initial-cluster', `default=${peerUrl}`, '--log-level', 'warn'],
  ];
  const server = await startProcess(findEtcd(), flags, { env: etcdEnvironment });
  const client = new Etcd3({ hosts: url, dialTimeout: 15_000 });
  try {
    await client.put('ready').value('yes');
  } catch (failure) {
    client.close();
    await server.kill9();
    throw new ChandleryError('EtcdFailed', `etcd does not answer: ${server.output()}`, { cause: failure });
  }
  return {
    name: 'etcd',
    serverPid: server.pid,
    put: async (name, value) => void (await client.put(`bench/${name}`).value(value)),
    get: async name => void (await client.get(`bench/${name}`).buffer()),
    watch: (count, onDelivered) => watch(client, count, onDelivered),
    [Symbol.asyncDispose]: async () => {
      client.close();
      await server.stop();
    },
  };
}

/** Debian builds etcd for machines on which it wants to be asked explicitly. */
const etcdEnvironment = process.arch === 'arm64' ? { ETCD_UNSUPPORTED_ARCH: 'arm64' } : {};

async function watch(client: Etcd3, count: number, onDelivered: () => void): Promise<() => Promise<void>> {
  const watchers = await Promise.all(
    Array.from({ length: count }, async () => {
      const watcher = await client.watch().prefix('bench/').create();
      watcher.on('put', onDelivered);
      return watcher;
    }),
  );
  return async () => {
    for (const watcher of watchers) await watcher.cancel();
  };
}
