import assert from 'node:assert/strict';
import type { RunningProcess, TestLandscape } from '@chandlery/testing';
import { type MeshLandscape, namespace as shop, tenant } from '../../conformance/xds/support/mesh-landscape.ts';
import { runCli, startCli } from '../../durability/support/run-cli.ts';

/** An Envoy, and where its files are. */
export interface EnvoyFolder {
  readonly account: string;
  /** The namespace of the account. Default: that of the tests. */
  readonly namespace?: string;
  /** The cluster of the account. Default: that of the tests. */
  readonly cluster?: string;
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
export async function writeBootstrap(
  { landscape }: Pick<MeshLandscape, 'landscape'>,
  bootstrap: WrittenBootstrap,
): Promise<string> {
  const place = placeOf(landscape, bootstrap);
  const { code, stderr } = await runCli('mesh', 'bootstrap', 'envoy', ...place, ...bootstrap.flags);
  assert.equal(code, 0, stderr);
  return `${bootstrap.dir}/envoy.yaml`;
}

/** Starts the agent that renews the certificates of an Envoy. */
export const startAgent = ({ landscape }: MeshLandscape, envoy: EnvoyFolder): Promise<RunningProcess> =>
  startCli(/^Ready: /, 'mesh', 'agent', ...placeOf(landscape, envoy));

function placeOf({ xdsPort, kubeconfig }: TestLandscape, envoy: EnvoyFolder): string[] {
  const { account, namespace = shop, cluster = tenant, nodeId, dir } = envoy;
  return [
    ...['--account', `${namespace}/${account}`, '--node-id', nodeId, '--dir', dir],
    ...['--kubeconfig', kubeconfig, '--cluster', cluster, '--xds-address', `127.0.0.1:${xdsPort}`],
  ];
}
