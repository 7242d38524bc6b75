import { once } from 'node:events';
import { type ConnectionOptions, loadInClusterConfig, loadKubeconfig } from '@chandlery/client';

/**
 * How a program reaches its cluster: by the file that `KUBECONFIG` names, or else as the service account of its pod.
 */
export const connectionFromEnvironment = (env: Readonly<Record<string, string | undefined>>): ConnectionOptions =>
  env['KUBECONFIG'] ? loadKubeconfig(env['KUBECONFIG']) : loadInClusterConfig({ env });

/** Keeps a program alive until SIGINT or SIGTERM, also while its connections are being opened again. */
export async function untilStopped(): Promise<void> {
  const alive = setInterval(() => undefined, 60_000);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  clearInterval(alive);
}
