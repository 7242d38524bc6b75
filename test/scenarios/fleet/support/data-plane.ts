import assert from 'node:assert/strict';
import { join } from 'node:path';
import { eventually, type RunningProcess, startProcess, type TestLandscape } from '@chandlery/testing';
import { callUntilAnswered } from './persistent-call.ts';

const program = join(import.meta.dirname, '../../../../apps/agent/bin/chandlery-agent.mjs');
const system = 'openmcp-system';
const requests = `/clusters/platform/apis/clusters.openmcp.cloud/v1alpha1/namespaces/${system}/clusterrequests`;
const logicalClusters = '/clusters/platform/apis/core.chandlery.io/v1alpha1/logicalclusters';

export interface DataPlaneOptions {
  readonly product: 'dinosaurs' | 'fossils';
  readonly clusterId: string;
  readonly region: string;
  /** `processes`: pods run as processes of this machine. `objects`: nothing runs. */
  readonly type: 'processes' | 'objects';
}

/** A data-plane cluster of the document and its agent, a process of its own that can be killed. */
export class DataPlane implements AsyncDisposable {
  readonly options: DataPlaneOptions;
  readonly #landscape: TestLandscape;
  #token = '';
  #agent: RunningProcess | undefined;
  #generation = 0;
  #name = '';

  constructor(landscape: TestLandscape, options: DataPlaneOptions) {
    this.#landscape = landscape;
    this.options = options;
  }

  /** The logical cluster that holds its objects. */
  get name(): string {
    return this.#name;
  }

  async start(): Promise<void> {
    const { clusterId, type } = this.options;
    const order = { username: `agent-${clusterId}`, roles: ['fleetshard_operator'], cluster_id: clusterId };
    const reply = await this.#landscape.request('/api/fleet_mgmt/v1/tokens', { body: order });
    this.#token = reply.json<{ token: string }>().token;
    this.#name = type === 'processes' ? await this.#requestCluster() : await this.#makeCluster();
    await this.startAgent();
  }

  async startAgent(): Promise<void> {
    const { product, clusterId, type } = this.options;
    const { url, dataDir, kubeconfig } = this.#landscape;
    this.#agent = await startProcess(
      process.execPath,
      [
        program,
        ...['--control-plane', url, '--ca', join(dataDir, 'ca.crt'), '--product', product, '--cluster-id', clusterId],
        ...['--kubeconfig', kubeconfig, '--kube-context', this.#name],
        ...(type === 'processes' ? ['--router-port', '0'] : []),
      ],
      { env: { CHANDLERY_AGENT_TOKEN: this.#token }, ready: /the agent runs/ },
    );
  }

  async killAgent(): Promise<void> {
    await this.#agent?.kill9();
  }

  /** Destroys the cluster with everything on it, and its agent. */
  async lose(): Promise<void> {
    await this.killAgent();
    const path = `${logicalClusters}/${this.#name}`;
    await callUntilAnswered(this.#landscape, ['DELETE', path]);
    await eventually(async () => (await this.#landscape.request(path)).status === 404, { timeoutMs: 60_000 });
  }

  /** Gives the agent an empty cluster in place of the one that was lost. */
  async replace(): Promise<void> {
    this.#name = await this.#makeCluster();
    await this.startAgent();
  }

  /** What the agent said last. */
  log(): string {
    return this.#agent?.output().slice(-2000) ?? '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.killAgent();
  }

  async #makeCluster(): Promise<string> {
    return (await this.#landscape.createCluster(`${this.options.clusterId}-${++this.#generation}`)).name;
  }

  async #requestCluster(): Promise<string> {
    const { clusterId: name } = this.options;
    const body = {
      apiVersion: 'clusters.openmcp.cloud/v1alpha1',
      kind: 'ClusterRequest',
      metadata: { name, namespace: system },
      spec: { purpose: 'fleet' },
    };
    assert.equal((await this.#landscape.request(requests, { body })).status, 201);
    const cluster = await eventually(
      async () => {
        const { status } = (await this.#landscape.request(`${requests}/${name}`)).json<{
          status?: { phase?: string; cluster?: { name: string } };
        }>();
        return status?.phase === 'Granted' && status.cluster?.name;
      },
      { timeoutMs: 60_000 },
    );
    // By kubectl, because the agent needs the context of the kubeconfig.
    const made = this.#landscape.cluster(cluster);
    await eventually(async () => (await made.kubectl(['get', 'namespace', 'default'])).code === 0, {
      timeoutMs: 60_000,
    });
    return cluster;
  }
}
