import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type MeshWorkloadCertificate, meshWorkloadCertificates } from '../../kinds/mesh-workload-certificate.ts';

const { ref } = meshWorkloadCertificates;

/**
 * Stores a certificate in place of `before` (or of none), unless somebody else was faster: then theirs stays, and all
 * learn of it in the same way as of this one.
 */
export async function storeCertificate(
  client: Pick<Client, 'create' | 'update'>,
  made: MeshWorkloadCertificate,
  before: MeshWorkloadCertificate | undefined,
): Promise<void> {
  const { name = '', resourceVersion } = before?.metadata ?? {};
  try {
    if (resourceVersion === undefined) await client.create(ref, made);
    else await client.update({ ...ref, name }, { ...made, metadata: { ...made.metadata, resourceVersion } });
  } catch (error) {
    // Not found: the old one has just ended and its end is on the way here; whoever needs it then makes another.
    if (!isError(error, 'AlreadyExists', 'Conflict', 'NotFound')) throw error;
  }
}
