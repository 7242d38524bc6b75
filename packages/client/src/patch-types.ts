import { ChandleryError } from '@chandlery/api';
import type { PatchBody } from './client.ts';

/** How each form of patch is called on the wire. */
export const patchContentTypes: Readonly<Record<PatchBody['type'], string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** Server-side apply needs to know who applies; better said here than by the server. */
export function assertHasManager({ type }: PatchBody, fieldManager: string | undefined): void {
  if (type !== 'apply' || (fieldManager !== undefined && fieldManager !== '')) return;
  throw new ChandleryError('BadRequest', 'server-side apply needs a fieldManager');
}
