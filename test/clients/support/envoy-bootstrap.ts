import assert from 'node:assert/strict';
import { type MeshLandscape, namespace, tenant } from '../../conformance/xds/support/mesh-landscape.ts';
import { runCli } from '../../durability/support/run-cli.ts';

/** What an Envoy is told at its start. */
export interface WrittenBootstrap {
  readonly account: string;
  readonly nodeId: string;
  /** The folder for it, with a new certificate. */
  readonly dir: string;
  /** More flags of `mesh bootstrap envoy`. */
  readonly flags: readonly string[];
}

/** Writes a bootstrap as users do, and returns its path. */
export async function writeBootstrap({ landscape }: MeshLandscape, bootstrap: WrittenBootstrap): Promise<string> {
  const { account, nodeId, dir, flags } = bootstrap;
  const xds = `127.0.0.1:${landscape.xdsPort}`;
  const { code, stderr } = await runCli(
    ...['mesh', 'bootstrap', 'envoy', '--account', `${namespace}/${account}`, '--node-id', nodeId],
    ...['--kubeconfig', landscape.kubeconfig, '--cluster', tenant, '--xds-address', xds, '--dir', dir],
    ...flags,
  );
  assert.equal(code, 0, stderr);
  return `${dir}/envoy.yaml`;
}
