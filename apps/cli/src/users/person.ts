import { ChandleryError, isError, validateDnsLabel } from '@chandlery/api';
import type { HttpClient, ObjectRef } from '@chandlery/client';
import { peopleNamespace } from '@chandlery/providers/kinds';
import { usageError } from '../args/usage-error.ts';
import { type IssuedToken, requestToken } from './request-token.ts';

/** Marks the service accounts and bindings of people. */
export const personLabel = 'core.chandlery.io/user';

/** When the last token of a person expires. */
const expiresAnnotation = 'core.chandlery.io/token-expires';

const serviceAccounts = { group: '', version: 'v1', plural: 'serviceaccounts', namespace: peopleNamespace };

/** A person without an account at an OpenID provider: a service account that can be listed and revoked. */
export interface Person {
  readonly name: string;
  readonly expires: string;
  readonly created: string | undefined;
}

/** The name of a person, or a usage error. */
export function personName(text: string): string {
  const [problem] = validateDnsLabel(text);
  if (problem !== undefined) throw usageError('InvalidOption', `"${text}" cannot be the name of a user: ${problem}`);
  return text;
}

/** How roles refer to a person. */
export const subjectOf = (name: string) => ({ kind: 'ServiceAccount', name, namespace: peopleNamespace });

/** Creates the service account of a person unless it exists. */
export async function ensurePerson(client: HttpClient, name: string): Promise<void> {
  await unlessExists(
    client.create(
      { group: '', version: 'v1', plural: 'namespaces' },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: peopleNamespace } },
    ),
  );
  await unlessExists(
    client.create(serviceAccounts, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name, namespace: peopleNamespace, labels: { [personLabel]: name } },
    }),
  );
}

async function unlessExists(created: Promise<unknown>): Promise<void> {
  await created.catch((thrown: unknown) => {
    if (!isError(thrown, 'AlreadyExists')) throw thrown;
  });
}

/** A token of a person, and when it expires, which is noted on the account. */
export async function issueToken(client: HttpClient, name: string, ttlMs: number): Promise<IssuedToken> {
  const ref: ObjectRef = { ...serviceAccounts, name };
  const issued = await requestToken(client, ref, ttlMs);
  await client.patch(ref, {
    type: 'merge',
    body: { metadata: { annotations: { [expiresAnnotation]: issued.expires } } },
  });
  return issued;
}

/** The people of a cluster. */
export async function listPeople(client: HttpClient): Promise<readonly Person[]> {
  const { items } = await client.list(serviceAccounts, { labelSelector: personLabel });
  return items.map(({ metadata }) => ({
    name: metadata.name ?? '',
    expires: metadata.annotations?.[expiresAnnotation] ?? '',
    created: metadata.creationTimestamp,
  }));
}

/** Deletes the account of a person: its tokens are rejected from that moment. */
export async function deletePerson(client: HttpClient, name: string): Promise<void> {
  const ref = { ...serviceAccounts, name };
  const account = await client.get(ref).catch((thrown: unknown) => {
    if (!isError(thrown, 'NotFound')) throw thrown;
  });
  if (account?.metadata.labels?.[personLabel] !== name)
    throw new ChandleryError('NotFound', `there is no user "${name}"`, {
      hint: 'See who there is with "npx chandlery user list", of another cluster or project with --cluster.',
    });
  await client.delete(ref);
}
