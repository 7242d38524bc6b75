import { type Client, createClient, type HttpClient, loadKubeconfig } from '@chandlery/client';
import { type FleetInstance, fleetKinds } from '@chandlery/fleet/kinds';
import { loadServerConfig, silentLogger } from '@chandlery/platform';
import { startLandscape } from '@chandlery/server';
import { eventually, tempFolder } from '@chandlery/testing';
import { type Ran, runCli } from '../../test-cli.ts';

/** A landscape with its fleet manager, and the command line beside it. */
export interface TestFleetLandscape extends AsyncDisposable {
  /** Of the logical cluster with the objects of the fleet. */
  readonly client: HttpClient;
  /** Runs a command. */
  run(...args: string[]): Promise<Ran>;
  /** Runs a command with piped input, or at an interactive terminal. */
  runWith(given: { stdin?: string; isInteractive?: boolean }, ...args: string[]): Promise<Ran>;
  /** Runs a command that must succeed and returns what it printed as JSON. */
  json<T>(...args: string[]): Promise<T>;
  path(name: string): string;
  /** Reports as the agent of a cluster: PUT below its path. */
  reportAs(clusterId: string, path: string, body: object): Promise<void>;
  /** Waits for an instance in a state, which a command beside it may be about to order. */
  untilState(name: string, state: string): Promise<FleetInstance>;
}

/** Starts one whose clusters run no pods. */
export async function startTestFleetLandscape(): Promise<TestFleetLandscape> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const argv = ['--port=0', '--xds-port=0', `--data-dir=${folder.join('.chandlery')}`, '--local-clusters=off'];
  const landscape = stack.use(
    await startLandscape(loadServerConfig({ argv, env: {} }).values, { logger: silentLogger }),
  );
  const client = stack.use(createClient(loadKubeconfig(landscape.kubeconfigPath)));
  const runWith: TestFleetLandscape['runWith'] = (given, ...args) => runCli(args, { cwd: folder.path, ...given });
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
    reportAs: async (clusterId, path, body) => {
      const { stdout } = await runWith({}, 'fleet', 'token', '--agent', clusterId);
      await client.raw(`/api/dinosaurs_mgmt/v1/agent-clusters/${clusterId}${path}`, {
        method: 'PUT',
        isFromRoot: true,
        headers: { authorization: `Bearer ${stdout.trim()}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    },
    untilState: (name, state) => untilState(client, name, state),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const untilState = (client: Client, name: string, state: string): Promise<FleetInstance> =>
  eventually(async () => {
    const { items } = await client.list<FleetInstance>(fleetKinds.instances.ref);
    const found = items.find(({ spec }) => spec.name === name);
    return found?.status?.state === state && found;
  });
