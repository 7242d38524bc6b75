import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EncodedResource } from '../model/resource.ts';
import { createResourceCompiler } from './create-resource-compiler.ts';
import { loadEnvoyProtos } from './proto/load-envoy-protos.ts';
import { decodeResource } from './test-decode.ts';
import { books, envoyScope, policy } from './test-samples.ts';

interface DecodedTls {
  readonly transport_socket: {
    readonly typed_config: { readonly common_tls_context: { readonly alpn_protocols?: readonly string[] } };
  };
}
interface DecodedChain extends DecodedTls {
  readonly filter_chain_match: {
    readonly destination_port: { readonly value: number };
    readonly application_protocols: readonly string[];
  };
}

const alpnOf = ({ transport_socket }: DecodedTls): readonly string[] | undefined =>
  transport_socket.typed_config.common_tls_context.alpn_protocols;

/**
 * The protocol that two Envoys negotiate, a cluster of one and a filter chain of the other; undefined when the
 * connection is closed.
 */
function agreed(cluster: DecodedTls, chain: DecodedChain, spoken: string): string | undefined {
  // A cluster without ALPN offers the HTTP version of the connection.
  const offered = alpnOf(cluster) ?? [spoken];
  if (!chain.filter_chain_match.application_protocols.some(each => offered.includes(each))) return undefined;
  return alpnOf(chain)?.find(each => offered.includes(each));
}

test('an Envoy reads what another one sends: the version of HTTP is what they have agreed on', async () => {
  const root = await loadEnvoyProtos();
  const compiler = createResourceCompiler(root);
  const decoded = <Shape>(resources: readonly EncodedResource[], name: string): Shape =>
    decodeResource(root, resources.find(each => each.name === name) ?? assert.fail(name)) as Shape;
  const clusters = compiler.outboundService(books, envoyScope).filter(({ type }) => type === 'cluster');
  const { filter_chains: chains } = decoded<{ readonly filter_chains: readonly DecodedChain[] }>(
    compiler.inbound(policy, envoyScope),
    'inbound-listener',
  );
  const chainAt = (port: number): DecodedChain =>
    chains.find(each => each.filter_chain_match.destination_port.value === port) ?? assert.fail(`${port}`);
  const http = decoded<DecodedTls>(clusters, 'acme/shop/books|80');
  // Envoy treats everything else as HTTP/1.1, including our own ALPN protocol.
  assert.equal(agreed(http, chainAt(8080), 'h2'), 'h2');
  assert.equal(agreed(http, chainAt(8080), 'http/1.1'), 'http/1.1');
  const connections = decoded<DecodedTls>(clusters, 'acme/shop/books|5432');
  assert.equal(agreed(connections, chainAt(5432), ''), 'chandlery');
  assert.equal(agreed(connections, chainAt(8080), ''), 'chandlery', 'a port that another service takes for TCP');
});
