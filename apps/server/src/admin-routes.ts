import { Readable } from 'node:stream';
import { apiError } from '@chandlery/api';
import { credentialsOfRequest, type HttpHost, type HttpRequest } from '@chandlery/http';
import { type Authenticator, isMaster, type Kernel, platformCluster, wellKnown, writeBackup } from '@chandlery/kernel';
import { type AdminToken, adminTokenFile, type LandscapeKeys } from '@chandlery/platform';
import { formatFacts } from './data-format.ts';

/** Lets only those pass who run the landscape. */
export const operatorGuard =
  (authenticator: Authenticator) =>
  async (request: HttpRequest): Promise<void> => {
    const user = await authenticator.authenticate(credentialsOfRequest(request), platformCluster);
    if (isMaster(user)) return;
    const isAnonymous = user.username === wellKnown.anonymousUser;
    throw isAnonymous
      ? apiError('Unauthorized', "this takes the administrator's token")
      : apiError('Forbidden', `user "${user.username}" does not run this landscape`);
  };

export interface AdminRoutesOptions {
  readonly kernel: Kernel;
  readonly keys: LandscapeKeys;
  readonly adminToken: AdminToken;
  readonly guard: (request: HttpRequest) => Promise<void>;
}

/** What only the operator may do: a backup of everything, taken while the landscape runs. */
export function addAdminRoutes({ app }: HttpHost, { kernel, keys, adminToken, guard }: AdminRoutesOptions): void {
  app.get('/admin/backup', async (request, reply) => {
    await guard(request);
    const snapshot = await kernel.store.snapshot();
    const secrets = { ...keys.exportKeys(), [adminTokenFile]: `${adminToken.token}\n` };
    const lines = writeBackup(snapshot, { keys: secrets, facts: formatFacts(), createdAt: new Date() });
    return reply.header('content-type', 'application/gzip').send(Readable.from(lines));
  });
}
