import { ChandleryError } from '@chandlery/api';
import type { Root, Trust } from './trust.ts';

/** The signing root. Throws `NoSigningRoot`. */
export function signerOf({ signer }: Trust): Root {
  if (signer !== undefined) return signer;
  throw new ChandleryError('NoSigningRoot', 'no active root of the mesh has a key, so that nothing can be certified', {
    hint: 'See the conditions of the MeshRootCertificates; restore the key of an active one or make another one active.',
  });
}
