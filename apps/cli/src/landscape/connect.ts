import { join, resolve } from 'node:path';
import { type ConnectionOptions, createClient, type HttpClient, loadKubeconfig } from '@chandlery/client';
import { loadServerConfig } from '@chandlery/platform';
import type { CommandContext } from '../command.ts';

/** The logical cluster in which the landscape itself is described. */
const platformCluster = 'platform';

/** The data folder: by flag, environment or settings file, as for the server. */
export function dataDirOf({ flags, env, cwd }: CommandContext): string {
  const dataDir = flags.text('data-dir');
  const argv = dataDir === undefined ? [] : [`--data-dir=${dataDir}`];
  return resolve(cwd, loadServerConfig({ argv, env, folder: cwd }).values.dataDir);
}

/** The kubeconfig that a command is to use. */
export function kubeconfigPathOf(context: CommandContext): string {
  const given = context.flags.text('kubeconfig');
  return given === undefined ? join(dataDirOf(context), 'admin.kubeconfig') : resolve(context.cwd, given);
}

/** The connection to the landscape, and in it to the logical cluster that describes it, whichever the context names. */
export function connectionOf(context: CommandContext): ConnectionOptions {
  const name = context.flags.text('context');
  const connection = loadKubeconfig(kubeconfigPathOf(context), name === undefined ? {} : { context: name });
  return { ...connection, server: serverOfCluster(connection.server, platformCluster), userAgent: 'chandlery-cli' };
}

/** A client of the logical cluster that describes the landscape. */
export const connect = (context: CommandContext): HttpClient => createClient(connectionOf(context));

/** The same server, another logical cluster. */
export function serverOfCluster(server: string, cluster: string): string {
  const base = server.replace(/\/clusters\/[^/]*\/?$/, '').replace(/\/+$/, '');
  return `${base}/clusters/${encodeURIComponent(cluster)}`;
}
