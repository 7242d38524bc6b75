import type { ProxyType, ReplicaStream } from '../kinds/rest-documents.ts';
import { proxySpiffeId } from '../model/identity.ts';
import type { StreamStatus, TypeStatus } from '../xds/stream-status.ts';

/** With which certificate a proxy has connected. */
export interface ClientCertificate {
  readonly rootFingerprint: string;
  readonly notAfter: Date | undefined;
}

export const showStream = (
  { proxy, mode, only, openedAt, types }: StreamStatus,
  certificate?: ClientCertificate,
): ReplicaStream => ({
  nodeId: proxy.nodeId,
  identity: proxySpiffeId(proxy.identity),
  namespace: proxy.identity.namespace,
  serviceAccount: proxy.identity.serviceAccount,
  cluster: proxy.identity.cluster,
  dialect: proxy.dialect,
  peer: proxy.peer,
  mode,
  ...(only && { only }),
  connectedAt: openedAt.toISOString(),
  ...(certificate && {
    certificate: {
      root: certificate.rootFingerprint,
      ...(certificate.notAfter && { notAfter: certificate.notAfter.toISOString() }),
    },
  }),
  types: types.map(showType),
});

const showType = ({
  type,
  state,
  sentVersion,
  sentAt,
  ackedVersion,
  ackedAt,
  error,
  ...rest
}: TypeStatus): ProxyType => ({
  type,
  state,
  subscribed: rest.isWildcard ? '*' : rest.subscribedCount,
  isInFlight: rest.isInFlight,
  counts: rest.counts,
  ...(sentVersion && { sentVersion }),
  ...(sentAt && { sentAt: sentAt.toISOString() }),
  ...(ackedVersion && { ackedVersion }),
  ...(ackedAt && { ackedAt: ackedAt.toISOString() }),
  ...(error && { error: { code: error.code, message: error.message, at: error.at.toISOString() } }),
});
