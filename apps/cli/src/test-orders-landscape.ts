import { createClient, type HttpClient, loadKubeconfig } from '@chandlery/client';
import { loadServerConfig, silentLogger } from '@chandlery/platform';
import { startLandscape } from '@chandlery/server';
import { tempFolder } from '@chandlery/testing';
import { type Ran, runCli } from './test-cli.ts';

/** A landscape that executes workflows as processes of this machine, and the command line beside it. */
export interface TestOrdersLandscape extends AsyncDisposable {
  /** Of the platform cluster. */
  readonly client: HttpClient;
  run(...args: string[]): Promise<Ran>;
  /** Runs a command with something piped in, or on a terminal. */
  runWith(given: { stdin?: string; isTTY?: boolean; isInteractive?: boolean }, ...args: string[]): Promise<Ran>;
  /** Runs a command that must succeed, and returns what it printed as JSON. */
  json<T>(...args: string[]): Promise<T>;
  path(name: string): string;
}

/** Starts one: `await using landscape = await startTestOrdersLandscape()`. */
export async function startTestOrdersLandscape(): Promise<TestOrdersLandscape> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const argv = ['--port=0', '--xds-port=0', `--data-dir=${folder.join('.chandlery')}`];
  const landscape = stack.use(
    await startLandscape(loadServerConfig({ argv, env: {} }).values, { logger: silentLogger }),
  );
  const client = stack.use(createClient(loadKubeconfig(landscape.kubeconfigPath, { context: 'platform' })));
  const runWith: TestOrdersLandscape['runWith'] = (given, ...args) => runCli(args, { cwd: folder.path, ...given });
  const owned = stack.move();
  return {
    client,
    runWith,
    run: (...args) => runWith({}, ...args),
    json: async <T>(...args: string[]) => {
      const { code, stdout, stderr } = await runWith({}, ...args, '-o', 'json');
      if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
      return JSON.parse(stdout) as T;
    },
    path: name => folder.join(name),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
