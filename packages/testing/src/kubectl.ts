import { kubectlPath } from './kubectl-binary.ts';
import { type RunningProcess, startProcess } from './processes.ts';
import { type ProcessResult, type RunProcessOptions, runProcess } from './run-process.ts';
import { type TempFolder, tempFolder } from './temp-folder.ts';

/** Whom kubectl talks to, and how it is run. */
export interface KubectlOptions extends RunProcessOptions {
  /** Path of the kubeconfig. Default: none at all, never the user's own. */
  readonly kubeconfig?: string;
  /** A context of the kubeconfig, here usually the name of a logical cluster. Default: the current one. */
  readonly context?: string;
  /** The home folder, where kubectl caches discovery. Default: a new one for each call, so that nothing is stale. */
  readonly home?: string;
}

/** Runs the real kubectl to its end. */
export async function kubectl(args: readonly string[], options: KubectlOptions = {}): Promise<ProcessResult> {
  await using home = await homeFolder(options);
  return await runProcess(await kubectlPath(), withContext(args, options), {
    ...options,
    env: environment(home, options),
  });
}

/** Starts a kubectl that keeps running: `get -w`, `wait`, `proxy`, `port-forward`. */
export async function startKubectl(
  args: readonly string[],
  options: Omit<KubectlOptions, 'stdin' | 'timeoutMs'> & { readonly ready?: RegExp } = {},
): Promise<RunningProcess> {
  const home = await homeFolder(options);
  const running = await startProcess(await kubectlPath(), withContext(args, options), {
    ...options,
    env: environment(home, options),
  }).catch(async (failure: unknown) => {
    await home[Symbol.asyncDispose]();
    throw failure;
  });
  void running.ended.then(() => home[Symbol.asyncDispose]());
  return running;
}

async function homeFolder({ home }: KubectlOptions): Promise<Pick<TempFolder, 'path' | typeof Symbol.asyncDispose>> {
  if (home === undefined) return tempFolder('chandlery-kubectl-');
  return { path: home, [Symbol.asyncDispose]: async () => {} };
}

const withContext = (args: readonly string[], { context }: KubectlOptions): string[] =>
  context === undefined ? [...args] : ['--context', context, ...args];

function environment(home: { readonly path: string }, { kubeconfig, env }: KubectlOptions): RunProcessOptions['env'] {
  return { HOME: home.path, KUBECONFIG: kubeconfig ?? `${home.path}/none`, KUBECACHEDIR: undefined, ...env };
}
