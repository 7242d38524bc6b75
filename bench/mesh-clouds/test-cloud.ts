import { fork } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CloudChange, CloudCounts, CloudReady, CloudServed } from './cloud-messages.ts';

export interface Size {
  readonly accounts: number;
  /** Of each account. */
  readonly machines: number;
  /** Of each account. */
  readonly services: number;
  /** Streams of proxies, each subscribed to all services. */
  readonly proxies: number;
  /** Changes that are measured in each way. */
  readonly samples: number;
  /** Polls of each account while nothing changes. */
  readonly rounds: number;
}

/** A cloud in a process of its own, so that its work does not show in the measurement. */
export interface BenchCloud {
  readonly url: string;
  /** Makes a change. Resolves when a poll has read it, with the time. */
  change(change: CloudChange): Promise<number>;
  counts(): Promise<CloudCounts>;
  stop(): void;
}

export async function startBenchCloud({ accounts, machines, services }: Size): Promise<BenchCloud> {
  const child = fork(join(import.meta.dirname, 'cloud-process.ts'), [accounts, machines, services].map(String));
  const [{ port }] = (await once(child, 'message')) as [CloudReady];
  const next = <T extends { readonly type: string }>(type: T['type']): Promise<T> =>
    new Promise(resolve => {
      const listen = (message: T): void => {
        if (message.type !== type) return;
        child.off('message', listen);
        resolve(message);
      };
      child.on('message', listen);
    });
  return {
    url: `http://127.0.0.1:${port}`,
    change: async change => {
      const served = next<CloudServed>('served');
      child.send(change);
      return (await served).atMs;
    },
    counts: () => {
      const counted = next<CloudCounts>('counts');
      child.send('count');
      return counted;
    },
    stop: () => void child.kill(),
  };
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Credentials that the cloud accepts, as it accepts all. */
export const benchKey = JSON.stringify({
  client_email: 'bench@example.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
});
