import { ChandleryError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { PodTokens } from '../../ports.ts';
import { refs } from './refs.ts';

/** Requests tokens that are bound to their pod from the cluster's API. */
export const requestedTokens = (client: Pick<Client, 'create'>): PodTokens => ({
  async issueToken({ uid, name, namespace, serviceAccount }, { audience, expirationSeconds }) {
    const answer = await client.create<KubeObject>(
      { ...refs.serviceAccounts, namespace, name: serviceAccount, subresource: 'token' },
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: {},
        spec: {
          audiences: audience === undefined ? [] : [audience],
          expirationSeconds,
          boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
        },
      },
    );
    const { token } = answer['status'] as { token?: string };
    if (token === undefined)
      throw new ChandleryError(
        'NoToken',
        `The API gave no token for service account "${namespace}/${serviceAccount}".`,
      );
    return token;
  },
});
