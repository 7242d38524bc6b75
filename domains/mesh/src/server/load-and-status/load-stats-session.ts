import type protobuf from 'protobufjs';
import type { ServerMetrics } from '../../metrics.ts';
import type { Proxy } from '../../ports.ts';
import { loadEnvoyProtos } from '../../resources/proto/load-envoy-protos.ts';
import { frameMessage } from '../../xds/frame-message.ts';
import type { ProxyAuthenticator } from '../connections/proxy-authenticator.ts';
import type { CallContext, CallSession } from '../grpc/serve-call.ts';
import { decodeLoadStats } from './decode-load-stats.ts';
import type { LoadReports } from './load-reports.ts';

export interface LoadStatsOptions {
  readonly authenticator: ProxyAuthenticator;
  readonly reports: LoadReports;
  readonly metrics: ServerMetrics;
  /** Reporting interval. */
  readonly intervalMs: number;
}

/** Requests load reports of all clusters from a proxy, and records them. */
export class LoadStatsSession implements CallSession {
  readonly #options: LoadStatsOptions;
  readonly #context: CallContext;
  #proxy: Proxy | undefined;

  constructor(context: CallContext, options: LoadStatsOptions) {
    this.#options = options;
    this.#context = context;
    options.authenticator.authenticate(context.connection);
  }

  async onMessage(message: Buffer): Promise<void> {
    const root = await loadEnvoyProtos();
    const { node, loads } = decodeLoadStats(message, root);
    if (!this.#proxy) {
      this.#proxy = this.#options.authenticator.identifyProxy(this.#context.connection, node).proxy;
      this.#context.port.send(frameMessage(this.#reportRequest(root)));
    }
    if (loads.length === 0) return;
    const isKept = this.#options.reports.report(this.#proxy, loads);
    this.#options.metrics.loadReports.with({ outcome: isKept ? 'kept' : 'ignored' }).inc();
  }

  close(): void {
    this.#proxy = undefined;
  }

  /** Requests all clusters instead of a list: some clients never report the first element of a list. */
  #reportRequest(root: protobuf.Root): Uint8Array {
    const { intervalMs } = this.#options;
    return root
      .lookupType('envoy.service.load_stats.v3.LoadStatsResponse')
      .encode({
        send_all_clusters: true,
        load_reporting_interval: { seconds: Math.floor(intervalMs / 1000), nanos: (intervalMs % 1000) * 1e6 },
      })
      .finish();
  }
}
