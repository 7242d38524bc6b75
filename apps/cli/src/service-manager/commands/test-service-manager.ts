import { loadServerConfig, silentLogger } from '@chandlery/platform';
import { startLandscape } from '@chandlery/server';
import { tempFolder } from '@chandlery/testing';
import { type Ran, runCli } from '../../test-cli.ts';

/** A landscape with its service manager, and the command line beside it. */
export interface TestServiceManager extends AsyncDisposable {
  /** Runs a command. */
  run(...args: string[]): Promise<Ran>;
  /** Runs a command with something piped in, or with variables set. */
  runWith(
    given: { stdin?: string; env?: Record<string, string>; isInteractive?: boolean },
    ...args: string[]
  ): Promise<Ran>;
  /** Runs a command that must succeed and answers what it printed as JSON. */
  json<T = Record<string, unknown>>(...args: string[]): Promise<T>;
  /** The path of a file in its folder. */
  path(name: string): string;
}

const settings = { pollingIntervalMs: 20, mitigationIntervalMs: 50 };

/** Starts a landscape whose brokers are polled often. */
export async function startTestServiceManager(): Promise<TestServiceManager> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const argv = ['--port=0', '--xds-port=0', `--data-dir=${folder.join('.chandlery')}`, '--local-clusters=off'];
  const env = { CHANDLERY_SERVICE_MANAGER: JSON.stringify(settings) };
  stack.use(await startLandscape(loadServerConfig({ argv, env }).values, { logger: silentLogger }));
  const runWith: TestServiceManager['runWith'] = (given, ...args) => runCli(args, { cwd: folder.path, ...given });
  const owned = stack.move();
  return {
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
