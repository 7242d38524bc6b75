import { createHash, randomBytes } from 'node:crypto';
import { apiError, isError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Clock } from '@chandlery/platform';

/** A code that its bearer exchanges once for what was deposited under it. */
export interface IssuedCode {
  readonly code: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}

export interface SignInCodesDeps {
  /** Of the platform cluster: codes are Secrets there, so that every replica knows them and one alone gets each. */
  readonly client: Pick<Client, 'create' | 'delete' | 'get' | 'list'>;
  readonly clock: Clock;
}

interface CodeSecret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** How long a code may be exchanged: as long as a browser takes to open. */
const codeLifeMs = 60_000;

const namespace = 'kube-system';
const secrets = { group: '', version: 'v1', plural: 'secrets', namespace } as const;
const secretType = 'chandlery.io/sign-in-code';

/**
 * One-time codes. Only the hash of a code is stored, as the name of a Secret that holds the deposit (encrypted at rest);
 * deleting it is the exchange, so a code works once, whichever replicas are asked.
 */
export class SignInCodes {
  readonly #client: SignInCodesDeps['client'];
  readonly #clock: Clock;

  constructor({ client, clock }: SignInCodesDeps) {
    this.#client = client;
    this.#clock = clock;
  }

  async issue(deposit: object): Promise<IssuedCode> {
    await this.#removeExpired();
    const code = randomBytes(32).toString('base64url');
    const expiresAtMs = this.#clock.now().getTime() + codeLifeMs;
    const data = { deposit: encode(JSON.stringify(deposit)), expires: encode(String(expiresAtMs)) };
    const metadata = { name: nameOf(code), namespace };
    await this.#client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, type: secretType, data });
    return { code, expirationTimestamp: new Date(expiresAtMs).toISOString() };
  }

  /** What was deposited. Rejects with `Unauthorized` when the code is unknown, used or expired. */
  async redeem(code: string): Promise<unknown> {
    const ref = { ...secrets, name: nameOf(code) };
    try {
      const found = await this.#client.get<CodeSecret>(ref);
      await this.#client.delete(ref, { preconditions: { uid: found.metadata.uid ?? '' } });
      if (!isExpired(found, this.#clock.now())) return JSON.parse(decode(found.data?.['deposit'])) as unknown;
    } catch (thrown) {
      if (!isError(thrown, 'NotFound', 'Conflict')) throw thrown;
    }
    throw apiError('Unauthorized', 'the sign-in code is unknown, was used, or has expired');
  }

  async #removeExpired(): Promise<void> {
    const now = this.#clock.now();
    for (const { metadata } of (await this.#list()).filter(code => isExpired(code, now))) {
      const ref = { ...secrets, name: metadata.name ?? '' };
      await this.#client.delete(ref).catch((thrown: unknown) => {
        if (!isError(thrown, 'NotFound')) throw thrown;
      });
    }
  }

  async #list(): Promise<readonly CodeSecret[]> {
    const { items } = await this.#client.list<CodeSecret>(secrets, { fieldSelector: `type=${secretType}` });
    return items;
  }
}

const isExpired = ({ data }: CodeSecret, now: Date): boolean => Number(decode(data?.['expires'])) <= now.getTime();

const nameOf = (code: string): string => `sign-in-${createHash('sha256').update(code).digest('hex')}`;
const encode = (text: string): string => Buffer.from(text).toString('base64');
const decode = (text = ''): string => Buffer.from(text, 'base64').toString();
