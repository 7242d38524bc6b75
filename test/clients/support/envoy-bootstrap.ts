import assert from 'node:assert/strict';
import type { RunningProcess, TestLandscape } from '@chandlery/testing';
import { type MeshLandscape, namespace, tenant } from '../../conformance/xds/support/mesh-landscape.ts';
import { runCli, startCli } from '../../durability/support/run-cli.ts';

/** An Envoy, and where its files are. */
export interface EnvoyFolder {
  readonly account: string;
  readonly nodeId: string;
  /** The folder for its bootstrap and certificates. */
  readonly dir: string;
}

/** The options of a bootstrap. */
export interface WrittenBootstrap extends EnvoyFolder {
  /** More flags of `mesh bootstrap envoy`. */
  readonly flags: readonly string[];
}

/** Writes a bootstrap as users do, and returns its path. */
export async function writeBootstrap({ landscape }: MeshLandscape, bootstrap: WrittenBootstrap): Promise<string> {
  const place = placeOf(landscape, bootstrap);
  const { code, stderr } = await runCli('mesh', 'bootstrap', 'envoy', ...place, ...bootstrap.flags);
  assert.equal(code, 0, stderr);
  return `${bootstrap.dir}/envoy.yaml`;
}

/** Starts the agent that renews the certificates of an Envoy. */
export const startAgent = ({ landscape }: MeshLandscape, envoy: EnvoyFolder): Promise<RunningProcess> =>
  startCli(/^Ready: /, 'mesh', 'agent', ...placeOf(landscape, envoy));

const placeOf = ({ xdsPort, kubeconfig }: TestLandscape, { account, nodeId, dir }: EnvoyFolder): string[] => [
  ...['--account', `${namespace}/${account}`, '--node-id', nodeId, '--dir', dir],
  ...['--kubeconfig', kubeconfig, '--cluster', tenant, '--xds-address', `127.0.0.1:${xdsPort}`],
];
