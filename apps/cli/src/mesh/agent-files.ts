import type { X509Certificate } from 'node:crypto';
import { ChandleryError } from '@chandlery/api';
import type { CertificateFiles } from '@chandlery/mesh/agent';
import { loadMesh } from './mesh-module.ts';
import type { CertificateRequest } from './request-certificate.ts';

/** The certificate folder of an agent. */
export interface AgentFiles {
  /** Throws `NotFound` when there are none. */
  readonly read: () => CertificateFiles;
  /** Whether the certificate is the requested one. False for that of a proxy when the workload's own is requested. */
  readonly isFor: (requested: CertificateRequest) => boolean;
  /** Whether it is the requested one and valid, so that no other one is needed. */
  readonly isGoodFor: (requested: CertificateRequest) => boolean;
}

/** Reads a folder, which may be missing. */
export async function agentFilesIn(folder: string): Promise<AgentFiles> {
  const { leafOf, readCertificateFolder } = await loadMesh();
  const leafFor = (requested: CertificateRequest): X509Certificate | undefined => {
    const files = readCertificateFolder(folder);
    const leaf = files && leafOf(files);
    // Folders of earlier versions have no certificate of the workload.
    const isWhole = requested.proxyId === undefined || files?.workload !== undefined;
    return isWhole && names(leaf, requested) ? leaf : undefined;
  };
  return {
    read: () => readCertificateFolder(folder) ?? missing(folder),
    isFor: requested => leafFor(requested) !== undefined,
    isGoodFor: requested => (leafFor(requested)?.validToDate ?? new Date(0)) > new Date(),
  };
}

function names(leaf: X509Certificate | undefined, { account, proxyId }: CertificateRequest): boolean {
  const { cluster, namespace, name } = account;
  const proxy = proxyId === undefined ? '' : `/proxy/${proxyId}`;
  const uris = leaf?.subjectAltName?.split(', ') ?? [];
  return uris.some(uri => uri.endsWith(`/cluster/${cluster}/ns/${namespace}/sa/${name}${proxy}`));
}

function missing(folder: string): never {
  throw new ChandleryError('NotFound', `there is no certificate in ${folder} any more`);
}
