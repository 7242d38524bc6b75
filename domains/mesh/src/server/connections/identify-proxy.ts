import { ChandleryError } from '@chandlery/api';
import type { ProxyIdentity } from '../../model/identity.ts';
import type { Dialect } from '../../model/proxy-scope.ts';
import type { Proxy } from '../../ports.ts';
import type { DiscoveryNode } from '../decode/decode-node.ts';
import { readCertificateFolder } from './read-certificate-folder.ts';
import { readProxyPorts } from './read-proxy-ports.ts';

/** What a client says of itself is kept as long as it is connected. */
const maxTextLength = 256;

/**
 * Brings together what a client says of itself and what its certificate proves; where the two differ it is refused.
 * Throws `InvalidRequest`, `PermissionDenied`.
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
    ...(node.announcement !== undefined && { announcement: node.announcement }),
    ...(node.ports !== undefined && { ports: readProxyPorts(node.ports) }),
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

/** Holds when either says nothing. */
function requireEqual(what: string, said: string | undefined, proven: string | undefined): void {
  if (said === undefined || proven === undefined || said === proven) return;
  throw new ChandleryError('PermissionDenied', `${what} is not what the certificate says, which is "${proven}"`, {
    hint: 'Give the client its own certificate, or correct its bootstrap',
  });
}

/** Others may ask for what an Envoy would be told, and do not read files. */
const isGenuineEnvoy = ({ userAgentName }: DiscoveryNode): boolean => userAgentName === 'envoy';

/** gRPC libraries say so in their name; metadata `dialect` decides for those who do not. */
function dialectOf({ userAgentName, metadata }: DiscoveryNode): Dialect {
  if (metadata.dialect === 'grpc' || metadata.dialect === 'envoy') return metadata.dialect;
  return /^grpc\b/i.test(userAgentName) ? 'grpc' : 'envoy';
}
