import { ChandleryError } from '@chandlery/api';
import type { HttpClient } from '@chandlery/client';

/** The state of the certificate authority, as the landscape describes it. */
export interface AuthorityDocument {
  readonly phase: 'settled' | 'trusted' | 'issuing';
  /** Increases with each change. */
  readonly version: number;
  /** When the phase began. */
  readonly since?: string;
  readonly dropAt?: string;
  readonly present: AuthoritySummary;
  readonly old?: AuthoritySummary;
  readonly replicas: readonly { readonly name: string; readonly isFollowing: boolean }[];
  /** Who was seen with a certificate of the old authority since the rotation began. */
  readonly usersOfOld: readonly {
    readonly user: string;
    readonly issuer: string;
    readonly lastSeen: string;
    readonly validUntil: string;
  }[];
}

interface AuthoritySummary {
  readonly name: string;
  readonly notAfter: string;
  readonly fingerprint: string;
}

/** A stage of the rotation, as the API takes it. */
export interface StageRequest {
  readonly stage: 'trust' | 'use' | 'drop';
  readonly dropAfterSeconds?: number;
  readonly force?: boolean;
}

const path = '/admin/certificate-authority';

export const readAuthority = async (client: HttpClient): Promise<AuthorityDocument> =>
  (await (await client.raw(path, { isFromRoot: true })).json()) as AuthorityDocument;

/** Begins a stage. One that was begun before stays as it is. */
export async function enterStage(client: HttpClient, request: StageRequest): Promise<AuthorityDocument> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(request);
  const response = await client.raw(path, { isFromRoot: true, method: 'POST', headers, body, accept: [409] });
  if (response.status === 409) throw rejected((await response.json()) as { readonly message?: string });
  return (await response.json()) as AuthorityDocument;
}

const rejected = ({ message = 'the stage cannot begin now' }: { readonly message?: string }): ChandleryError =>
  new ChandleryError('StageRejected', message, {
    hint: '"npx chandlery ca status" shows replicas and users. Wait, or add --force to "--stage drop".',
  });
