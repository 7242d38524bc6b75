import { ChandleryError } from '@chandlery/api';
import type { ProxyIdentity } from '../../model/identity.ts';
import type { Dialect } from '../../model/proxy-scope.ts';
import type { Proxy } from '../../ports.ts';
import type { DiscoveryNode } from '../decode/decode-node.ts';
import { readCertificateFolder } from './read-certificate-folder.ts';
import { readProxyPorts } from './read-proxy-ports.ts';

/** Bounds the texts of a node, which are kept for the lifetime of the connection. */
const maxTextLength = 256;

/**
 * Combines the node of a client with the identity of its certificate, and rejects contradictions. Throws
 * `InvalidRequest`, `PermissionDenied`.
 */
export function identifyProxy(node: DiscoveryNode | undefined, identity: ProxyIdentity, peer: string): Proxy {
  if (!node?.id) {
    throw new ChandleryError('InvalidRequest', 'the first request has no node.id', {
      hint: 'Set the node id in the bootstrap of the client',
    });
  }
  requireShort('node.id', node.id);
  requireShort('node.locality.region', node.region);
  requireShort('node.locality.zone', node.zone);
  requireEqual('node.id', node.id, identity.proxyId);
  requireEqual('node.metadata.tenant', node.metadata.tenant, identity.tenant);
  requireEqual('node.metadata.cluster', node.metadata.cluster, identity.cluster);
  return {
    nodeId: node.id,
    identity,
    dialect: dialectOf(node),
    ...(node.region && { region: node.region }),
    ...(node.zone && { zone: node.zone }),
    ...(node.announcement === undefined ? {} : { announcement: node.announcement }),
    ...(node.ports === undefined ? {} : { ports: readProxyPorts(node.ports) }),
    ...((isGenuineEnvoy(node) || node.certificateFolder !== undefined) && {
      certificateFolder: readCertificateFolder(node.certificateFolder),
    }),
    peer,
  };
}

function requireShort(what: string, text: string): void {
  if (text.length <= maxTextLength) return;
  throw new ChandleryError('InvalidRequest', `${what} is longer than ${maxTextLength} characters`);
}

/** Accepts values of which one is missing. */
function requireEqual(what: string, claimed: string | undefined, proven: string | undefined): void {
  if (claimed === undefined || proven === undefined || claimed === proven) return;
  throw new ChandleryError('PermissionDenied', `${what} differs from the certificate, which has "${proven}"`, {
    hint: 'Give the client its own certificate, or correct its bootstrap',
  });
}

/** Other clients may use Envoy's dialect, but read no certificate files. */
const isGenuineEnvoy = ({ userAgentName }: DiscoveryNode): boolean => userAgentName === 'envoy';

/** The user agent name identifies gRPC libraries; metadata `dialect` overrides it. */
function dialectOf({ userAgentName, metadata }: DiscoveryNode): Dialect {
  if (metadata.dialect === 'grpc' || metadata.dialect === 'envoy') return metadata.dialect;
  return /^grpc\b/i.test(userAgentName) ? 'grpc' : 'envoy';
}
