import type { Client } from '@chandlery/client';

/** Who credentials belong to, as the server says. */
export interface SignedIn {
  readonly username: string;
  readonly groups: readonly string[];
}

/** Asks the server who the credentials of a client belong to. */
export async function whoAmI(client: Pick<Client, 'create'>): Promise<SignedIn> {
  const { status } = (await client.create(
    { group: 'authentication.k8s.io', version: 'v1', plural: 'selfsubjectreviews' },
    { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} },
  )) as unknown as { status?: { userInfo?: { username?: string; groups?: string[] } } };
  const { username = 'unknown', groups = [] } = status?.userInfo ?? {};
  return { username, groups };
}
