import { freePorts, type TestLandscapeOptions, tempFolder } from '@chandlery/testing';
import { allowCalls, setService } from '../../conformance/xds/support/declare-service.ts';
import { type MeshLandscape, startMeshLandscape } from '../../conformance/xds/support/mesh-landscape.ts';
import { type DeclaredMachine, declareMachine } from './declare-machine.ts';
import { type Envoy, startEnvoy } from './envoy.ts';
import { startAgent, writeBootstrap } from './envoy-bootstrap.ts';
import { startPlainWorkload } from './plain-workload.ts';

/** A machine with a workload of `books` behind an Envoy. */
export interface BooksMachine {
  /** Id of the machine, and node id of its Envoy. */
  readonly id: string;
  envoy: Envoy;
  /** Address on which its Envoy accepts connections to the workload. */
  readonly address: { readonly host: string; readonly port: number };
  readonly workload: AsyncDisposable;
  /** Starts the Envoy again, with the same bootstrap. */
  restartEnvoy(): Promise<void>;
}

/** A caller and several machines that serve it, each behind an Envoy of its own, on this machine. */
export interface MachineMesh extends AsyncDisposable {
  readonly mesh: MeshLandscape;
  readonly machines: readonly BooksMachine[];
  readonly caller: Envoy;
  /** The folder with the bootstrap and the certificates of an Envoy, by its node id. */
  folderOf(nodeId: string): string;
  /** Address of `books` through the caller's Envoy. */
  readonly books: { readonly host: string; readonly port: number };
}

// Connections are not redirected here: one to Envoy's own port counts as sent there. So the service has the port of the
// caller's Envoy, and each machine serves it on the port of its own.
const serviceAddress = '127.0.0.2';
const portsPerEnvoy = 3;

interface EnvoyPlan {
  readonly account: string;
  readonly nodeId: string;
  readonly adminPort: number;
  readonly outboundPort: number;
  readonly inboundPort: number;
}

export interface MachineMeshOptions {
  readonly binary: string;
  /** How many machines. */
  readonly count: number;
  /** Name of the service port, which determines the protocol. Default `http`. */
  readonly portName?: string;
  /** Whether an agent beside each Envoy renews its certificates. Default: no. */
  readonly hasAgents?: boolean;
  /** Options of the landscape. Default: none. */
  readonly landscape?: TestLandscapeOptions;
  /** Declares the machine of an index. Default: by a VirtualMachineSet. */
  readonly declare?: (mesh: MeshLandscape, machine: DeclaredMachine, index: number) => Promise<void>;
  /** Whether the workloads' ports are also open without TLS. Default: no. */
  readonly isPlaintext?: boolean;
}

/** Starts a landscape, machines and a caller. */
export async function startMachineMesh(options: MachineMeshOptions): Promise<MachineMesh> {
  const { binary, count, portName = 'http', isPlaintext = false, hasAgents = false } = options;
  await using stack = new AsyncDisposableStack();
  // Also owns Envoys that are started later.
  let owner: AsyncDisposableStack = stack;
  const folder = stack.use(await tempFolder('chandlery-machines-'));
  const mesh = stack.use(await startMeshLandscape(options.landscape));
  const ports = await freePorts((count + 1) * portsPerEnvoy);
  const plan = (index: number, account: string, nodeId: string): EnvoyPlan => {
    const [adminPort = 0, outboundPort = 0, inboundPort = 0] = ports.slice(index * portsPerEnvoy);
    return { account, nodeId, adminPort, outboundPort, inboundPort };
  };
  const callerPlan = plan(count, 'web', 'web-1');
  const plans = Array.from({ length: count }, (_, index) => plan(index, 'books', `books-${index + 1}`));
  await declareBooks(mesh, plans, { name: portName, port: callerPlan.outboundPort }, options.declare);
  const open = async (envoyPlan: EnvoyPlan): Promise<Envoy> => {
    const { account, nodeId } = envoyPlan;
    const flags = [
      ...portFlags(envoyPlan),
      ...(isPlaintext ? ['--plaintext-ports', String(envoyPlan.inboundPort)] : []),
    ];
    const bootstrap = await writeBootstrap(mesh, { account, nodeId, dir: folder.join(nodeId), flags });
    if (hasAgents) owner.use(await startAgent(mesh, { account, nodeId, dir: folder.join(nodeId) }));
    return owner.use(await startEnvoy({ binary, bootstrap, adminPort: envoyPlan.adminPort }));
  };
  const machines: BooksMachine[] = [];
  for (const machinePlan of plans) {
    const workload = stack.use(await startPlainWorkload('127.0.0.1', machinePlan.inboundPort));
    const machine: BooksMachine = {
      id: machinePlan.nodeId,
      address: { host: addressOf(machines.length), port: machinePlan.inboundPort },
      envoy: await open(machinePlan),
      workload,
      restartEnvoy: async () => {
        machine.envoy = await open(machinePlan);
      },
    };
    machines.push(machine);
  }
  const caller = await open(callerPlan);
  owner = stack.move();
  const books = { host: serviceAddress, port: callerPlan.outboundPort };
  const folderOf = (nodeId: string): string => folder.join(nodeId);
  return { mesh, machines, caller, books, folderOf, [Symbol.asyncDispose]: () => owner.disposeAsync() };
}

const portFlags = ({ adminPort, outboundPort, inboundPort }: EnvoyPlan): readonly string[] =>
  ['--admin-port', adminPort, '--outbound-port', outboundPort, '--inbound-port', inboundPort].map(String);

const addressOf = (index: number): string => `127.0.0.${11 + index}`;

async function declareBooks(
  mesh: MeshLandscape,
  plans: readonly EnvoyPlan[],
  port: { readonly name: string; readonly port: number },
  declare: NonNullable<MachineMeshOptions['declare']> = ({ client: ofMesh }, machine) =>
    declareMachine(ofMesh, machine),
): Promise<void> {
  const { client } = mesh;
  for (const account of ['web', 'books']) await mesh.certificate({ account });
  await setService(client, { name: 'books', ports: [port], address: serviceAddress });
  for (const [index, { nodeId, inboundPort }] of plans.entries())
    await declare(mesh, { id: nodeId, address: addressOf(index), ports: [{ ...port, port: inboundPort }] }, index);
  await allowCalls(client, { name: 'books', from: ['web'], to: 'books' });
}
