import { apiError, type ChandleryError, isError } from '@chandlery/api';
import type { HttpHost } from '@chandlery/http';
import { type ProxyIdentity, proxySpiffeId } from '../model/identity.ts';
import type { MeshAuthority } from '../ports.ts';
import { type AccountRouteOptions, accountPath, workloadOf } from './account-route.ts';

/**
 * `POST /mesh/v1/clusters/{c}/namespaces/{ns}/serviceaccounts/{sa}/certificates`: signs the key of a workload or its
 * proxy. With a `proxyId`, the key gets two certificates: one for the proxy, which authenticates it to the control
 * plane, and one for the workload. The caller must be allowed to create tokens for the service account: a certificate
 * proves the same identity.
 */
export function addCertificateRoute(host: HttpHost, options: AccountRouteOptions): void {
  const { authority } = options;
  host.app.post(`${accountPath}/certificates`, async (request, reply) => {
    const workload = await workloadOf(request, options);
    host.identify(reply.raw, `workloads of ${workload.cluster}`);
    const { csr, proxyId, ttlSeconds } = parseBody(await host.readBody(request.raw, reply.raw));
    const { trustBundle, trustVersion } = authority;
    const identity: ProxyIdentity = proxyId === undefined ? workload : { ...workload, proxyId };
    const requested = { csr, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) };
    const { chain, notAfter } = sign(authority, identity, requested);
    return reply.code(201).send({
      certificate: chain,
      // The proxy authenticates as its workload with the same key.
      ...(proxyId === undefined ? {} : { workloadCertificate: sign(authority, workload, requested).chain }),
      trustBundle,
      trustVersion,
      notAfter: notAfter.toISOString(),
      spiffeId: proxySpiffeId(identity),
      tenant: workload.tenant,
    });
  });
}

const maxTtlSeconds = 7 * 24 * 3600;

function sign(authority: MeshAuthority, identity: ProxyIdentity, { csr, ttlSeconds }: CertificateRequest) {
  try {
    return authority.sign({ csr, identity, ...(ttlSeconds === undefined ? {} : { ttlMs: ttlSeconds * 1000 }) });
  } catch (error) {
    throw isError(error, 'InvalidCsr') ? apiError('BadRequest', error.message, {}, error) : error;
  }
}

interface CertificateRequest {
  readonly csr: string;
  readonly proxyId?: string;
  readonly ttlSeconds?: number;
}

function parseJson(body: Buffer | undefined): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body?.toString() ?? '');
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch (cause) {
    throw apiError('BadRequest', 'the body must be JSON', {}, cause);
  }
}

function parseBody(body: Buffer | undefined): CertificateRequest {
  const { csr, proxyId, ttlSeconds } = parseJson(body);
  if (typeof csr !== 'string') throw invalid('csr must be a certificate request in PEM');
  if (proxyId !== undefined && (typeof proxyId !== 'string' || !/^[A-Za-z0-9._-]{1,64}$/.test(proxyId))) {
    throw invalid('proxyId must be 1 to 64 letters, digits, dots, dashes or underscores');
  }
  const isTtlFine = Number.isInteger(ttlSeconds) && Number(ttlSeconds) >= 60 && Number(ttlSeconds) <= maxTtlSeconds;
  if (ttlSeconds !== undefined && !isTtlFine) {
    throw invalid(`ttlSeconds must be a whole number from 60 to ${maxTtlSeconds}`);
  }
  return {
    csr,
    ...(typeof proxyId === 'string' && { proxyId }),
    ...(typeof ttlSeconds === 'number' && { ttlSeconds }),
  };
}

const invalid = (message: string): ChandleryError => apiError('BadRequest', message);
