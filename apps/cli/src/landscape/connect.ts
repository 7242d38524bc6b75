import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { type ConnectionOptions, createClient, type HttpClient, loadKubeconfig } from '@chandlery/client';
import { loadServerConfig } from '@chandlery/platform';
import type { CommandContext } from '../command.ts';
import { loginKubeconfig } from '../login/login-store.ts';

/** The logical cluster in which the landscape itself is described. */
const platformCluster = 'platform';

/** The data folder: by flag, environment or settings file, as for the server. */
export function dataDirOf({ flags, env, cwd }: CommandContext): string {
  const dataDir = flags.text('data-dir');
  const argv = dataDir === undefined ? [] : [`--data-dir=${dataDir}`];
  return resolve(cwd, loadServerConfig({ argv, env, folder: cwd }).values.dataDir);
}

/** The kubeconfig that a command is to use: by flag, explicit data folder, `KUBECONFIG`, data folder, or sign-in. */
export function kubeconfigPathOf(context: CommandContext): string {
  const { flags, cwd } = context;
  const given = flags.text('kubeconfig');
  if (given !== undefined) return resolve(cwd, given);
  return followedKubeconfig(context) ?? localOrLogin(context);
}

/** The landscape of the data folder, or where there is none, the sign-ins of "chandlery login". */
function localOrLogin(context: CommandContext): string {
  const local = adminKubeconfigOf(context);
  const login = loginKubeconfig(context);
  const isLogin = context.flags.text('data-dir') === undefined && !existsSync(local) && existsSync(login);
  return isLogin ? login : local;
}

/** The value of `KUBECONFIG` when it decides. An explicit data folder is the more specific choice. */
function followedKubeconfig({ flags, env, cwd }: CommandContext): string | undefined {
  const paths = (env.KUBECONFIG ?? '').split(delimiter).filter(path => path !== '');
  if (paths.length === 0 || flags.text('data-dir') !== undefined) return undefined;
  return paths.map(path => resolve(cwd, path)).join(delimiter);
}

const adminKubeconfigOf = (context: CommandContext): string => join(dataDirOf(context), 'admin.kubeconfig');

/** The data folder, when the landscape at an address is the one that keeps its data there. */
export function localDataDirOf(context: CommandContext, address: string): string | undefined {
  const local = adminKubeconfigOf(context);
  if (!existsSync(local)) return undefined;
  return landscapeOf(loadKubeconfig(local).server) === address ? dataDirOf(context) : undefined;
}

/** The connection that the kubeconfig describes, to the logical cluster that its context names. */
export function contextConnectionOf(context: CommandContext): ConnectionOptions {
  const name = context.flags.text('context');
  const connection = loadKubeconfig(kubeconfigPathOf(context), name === undefined ? {} : { context: name });
  warnOfOtherLandscape(context, connection);
  return { ...connection, userAgent: 'chandlery-cli' };
}

/** The connection to the landscape, and in it to the logical cluster that describes it, whichever the context names. */
export function connectionOf(context: CommandContext): ConnectionOptions {
  const connection = contextConnectionOf(context);
  return { ...connection, server: serverOfCluster(connection.server, platformCluster) };
}

/** A client of the logical cluster that describes the landscape. */
export const connect = (context: CommandContext): HttpClient => createClient(connectionOf(context));

/** The same server, another logical cluster. */
export function serverOfCluster(server: string, cluster: string): string {
  return `${landscapeOf(server)}/clusters/${encodeURIComponent(cluster)}`;
}

/** The logical cluster that an address leads to. */
export const clusterOfServer = (server: string): string | undefined => /\/clusters\/([^/]+)\/?$/.exec(server)?.[1];

/** The address of the landscape that serves a logical cluster. */
const landscapeOf = (server: string): string => server.replace(/\/clusters\/[^/]*\/?$/, '').replace(/\/+$/, '');

/** Commands connect several times; the warning is printed once. */
const warned = new WeakSet<CommandContext>();

/** Warns when `KUBECONFIG` leads to another landscape than the data folder, which the user may not have noticed. */
function warnOfOtherLandscape(context: CommandContext, { server }: ConnectionOptions): void {
  const path = followedKubeconfig(context);
  if (path === undefined || context.flags.text('kubeconfig') !== undefined || warned.has(context)) return;
  const local = adminKubeconfigOf(context);
  if (path.split(delimiter).includes(local) || !existsSync(local)) return;
  const localAddress = landscapeOf(loadKubeconfig(local).server);
  if (localAddress === landscapeOf(server)) return;
  warned.add(context);
  context.stderr.write(
    `warning: KUBECONFIG leads to ${landscapeOf(server)}, not to the landscape of the data folder (${localAddress}); ` +
      'choose with --kubeconfig or --data-dir\n',
  );
}
