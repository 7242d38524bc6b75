import { type Client, createClient, loadKubeconfig } from '@chandlery/client';
import { type FleetInstance, fleetKinds } from '@chandlery/fleet/kinds';
import { loadServerConfig, silentLogger } from '@chandlery/platform';
import { startLandscape } from '@chandlery/server';
import { eventually, tempFolder } from '@chandlery/testing';
import { type Ran, runCli } from '../../test-cli.ts';

/** A landscape with its fleet manager, and the command line beside it. */
export interface TestFleetLandscape extends AsyncDisposable {
  /** Of the logical cluster with the objects of the fleet. */
  readonly client: Client;
  /** Runs a command. */
  run(...args: string[]): Promise<Ran>;
  /** Runs a command with something piped in, or somebody at the terminal. */
  runWith(given: { stdin?: string; isInteractive?: boolean }, ...args: string[]): Promise<Ran>;
  /** Runs a command that must succeed and returns what it printed as JSON. */
  json<T>(...args: string[]): Promise<T>;
  path(name: string): string;
  /** Changes the status of an instance, as workers do. */
  setStatus(name: string, status: FleetInstance['status']): Promise<void>;
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
    setStatus: async (name, status) => {
      const { metadata } = await findByName(client, name);
      const { namespace = '', name: id = '' } = metadata;
      const ref = { ...fleetKinds.instances.ref, namespace, name: id, subresource: 'status' };
      await client.patch(ref, { type: 'merge', body: { status } });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Waits for an instance of a name, which a command beside it may be about to order. */
const findByName = (client: Client, name: string): Promise<FleetInstance> =>
  eventually(async () => {
    const { items } = await client.list<FleetInstance>(fleetKinds.instances.ref);
    const found = items.find(({ spec }) => spec.name === name);
    if (found === undefined) throw new Error(`there is no instance ${name}`);
    return found;
  });
