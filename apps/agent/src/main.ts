import { createClient, type HttpClient, loadInClusterConfig, loadKubeconfig } from '@chandlery/client';
import { createLogger, runProgram, Shutdown } from '@chandlery/platform';
import { discoverKinds } from './cluster/kind-resolver.ts';
import { type AgentConfig, agentHelp, loadAgentConfig, readFileOf, required } from './config.ts';
import { ControlPlane } from './control-plane/control-plane.ts';
import { startAgent } from './start-agent.ts';

/** Runs the agent until it is stopped by a signal. Returns the exit code when it could not start. */
export const main = (argv: readonly string[]): Promise<number | undefined> =>
  runProgram(argv, {
    name: 'chandlery-agent',
    help: agentHelp,
    run: async given => {
      await run(loadAgentConfig(given, process.env));
      return undefined;
    },
  });

async function run(config: AgentConfig): Promise<void> {
  const logger = createLogger({ level: config.logLevel, format: config.logFormat });
  const stopping = new Shutdown({ logger });
  const controlPlane = stopping.use('control plane', openControlPlane(config));
  const client = stopping.use('cluster', openCluster(config));
  const agent = await startAgent({
    product: config.product,
    clusterId: required(config, 'clusterId'),
    client,
    resolveKind: discoverKinds(client),
    controlPlane,
    router: { host: config.routerHost, port: config.routerPort },
    capacity: config.capacity,
    logger,
  });
  stopping.use('agent', agent);
  stopping.listen();
}

function openControlPlane(config: AgentConfig): ControlPlane {
  const { product, token, tokenFile, ca } = config;
  return new ControlPlane({
    url: required(config, 'controlPlane'),
    clusterId: required(config, 'clusterId'),
    caPem: ca === undefined ? undefined : readFileOf(ca, '--ca'),
    caFile: ca,
    product,
    token,
    tokenFile,
  });
}

function openCluster({ kubeconfig, kubeContext: context }: AgentConfig): HttpClient {
  if (kubeconfig === undefined) return createClient(loadInClusterConfig());
  return createClient(loadKubeconfig(kubeconfig, context === undefined ? {} : { context }));
}
