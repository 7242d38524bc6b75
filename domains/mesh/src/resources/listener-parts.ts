import type { Pack, PackedMessage } from './proto/messages.ts';

interface SocketAddress {
  readonly socket_address: { readonly address: string; readonly port_value: number };
}

export const socketAddress = (address: string, port: number): SocketAddress => ({
  socket_address: { address, port_value: port },
});

/** All addresses of the machine. */
export const anyAddress = (port: number): SocketAddress => socketAddress('0.0.0.0', port);

interface ListenerFilter {
  readonly name: string;
  readonly typed_config: PackedMessage;
}

/** Restores the original destination of a redirected connection. */
export const originalDestinationFilter = (pack: Pack): ListenerFilter => ({
  name: 'envoy.filters.listener.original_dst',
  typed_config: pack('envoy.extensions.filters.listener.original_dst.v3.OriginalDst', {}),
});

/** Detects TLS and its ALPN protocols. */
export const tlsInspectorFilter = (pack: Pack): ListenerFilter => ({
  name: 'envoy.filters.listener.tls_inspector',
  typed_config: pack('envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector', {}),
});
