import { cloudError } from '../../endpoints/clouds/cloud-errors.ts';
import type { CloudAccount } from '../../kinds/clouds/cloud-account.ts';
import type { CloudAccountDeps, ReadSecret } from './cloud-account-deps.ts';

export interface CredentialsInput extends Pick<CloudAccountDeps, 'mayUseServerCredentials'> {
  readonly secret: ReadSecret | undefined;
}

/**
 * The credentials of an account are those of its namespace; those of the server need the leave of the operator, by `id`:
 * that of an account, such as `aws:123456789012`, or of a queue of events. Throws a cloud error.
 */
export function checkCredentials(
  { spec: { credentialsSecret }, metadata: { namespace = '' } }: CloudAccount,
  id: string,
  { secret, mayUseServerCredentials }: CredentialsInput,
): void {
  if (secret !== undefined) return;
  if (credentialsSecret !== undefined) {
    throw cloudError(
      'CloudCredentialsInvalid',
      `there is no Secret "${credentialsSecret}" in namespace "${namespace}"`,
      {
        hint: `Create it, with the entries that docs/mesh-${cloudOf(id)}.md names, or correct spec.credentialsSecret.`,
      },
    );
  }
  if (mayUseServerCredentials(id, namespace)) return;
  throw cloudError('CloudAccountNotAllowed', `the credentials of the server may not be used for "${id}" here`, {
    hint: 'Name a Secret as spec.credentialsSecret, or ask the operator for the setting clouds.serverCredentials.',
  });
}

/** `aws` of `aws:123456789012`. */
const cloudOf = (id: string): string => id.slice(0, id.indexOf(':'));
