import { createHash } from 'node:crypto';
import { isError, toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { VerifiedCertificate } from '@chandlery/kernel';
import type { Clock, Logger } from '@chandlery/platform';

/** A user who still shows a certificate of the old authority. */
export interface CertificateUser {
  readonly user: string;
  /** Common name of the authority. */
  readonly issuer: string;
  /** RFC 3339, to a few seconds. */
  readonly lastSeen: string;
  /** RFC 3339; the end of the certificate. */
  readonly validUntil: string;
}

export interface CertificateUsersDeps {
  /** Of the platform cluster. Not disposed of. */
  readonly client: Pick<Client, 'get' | 'patch' | 'delete' | 'create'>;
  /** The common name of the authority that is being replaced. Undefined: none is. */
  readonly oldName: () => string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A ConfigMap, so that all replicas and later processes know them. */
const configMap = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  namespace: 'kube-system',
  name: 'landscape-certificate-users',
} as const;

const writeEveryMs = 10_000;
/** Users beyond these are not listed: each is one of those who hold a certificate of the landscape. */
export const maxCertificateUsers = 500;

/**
 * Lists who authenticates with a certificate of an authority that is being replaced. A user is written at most once in
 * ten seconds, by each replica; nothing is written while no rotation is under way.
 */
export class CertificateUsers implements AsyncDisposable {
  readonly #deps: CertificateUsersDeps;
  readonly #timer: NodeJS.Timeout;
  readonly #seen = new Map<string, CertificateUser>();
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: CertificateUsersDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => this.#flush(), writeEveryMs).unref();
  }

  /** Notes a certificate with which a request was made. */
  note({ commonName: user, issuer = '', validUntil = '' }: VerifiedCertificate): void {
    if (issuer === '' || issuer !== this.#deps.oldName()) return;
    const key = createHash('sha256').update(`${issuer} ${user}`).digest('hex').slice(0, 32);
    if (!this.#seen.has(key) && this.#seen.size >= maxCertificateUsers) return;
    this.#seen.set(key, { user, issuer, validUntil, lastSeen: this.#deps.clock.now().toISOString() });
  }

  /** Those whom any replica has seen since the rotation began, the last one first. */
  async list(): Promise<readonly CertificateUser[]> {
    await this.#write();
    const { data } = await this.#stored();
    const users = Object.values(data)
      .filter(text => this.#isOfOld(text))
      .map(userOf);
    return users.toSorted((one, other) => (one.lastSeen < other.lastSeen ? 1 : -1));
  }

  /** Forgets all of them: the rotation has ended. */
  async clear(): Promise<void> {
    this.#seen.clear();
    await this.#deps.client.delete(configMap).catch((error: unknown) => {
      if (!isError(error, 'NotFound')) throw error;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#flush();
    await this.#writing;
  }

  #flush(): void {
    this.#writing = this.#writing
      .then(() => this.#write())
      .catch((error: unknown) =>
        this.#deps.logger.warn('cannot list the users of old certificates, will be tried again', {
          error: toError(error).message,
        }),
      );
  }

  async #write(): Promise<void> {
    const seen = [...this.#seen].filter(([, { issuer }]) => issuer === this.#deps.oldName());
    if (seen.length === 0) return this.#seen.clear();
    const { data, exists } = await this.#stored();
    // A rotation whose old authority was dropped by time has left its users.
    const outdated = Object.keys(data).filter(key => !this.#isOfOld(data[key] ?? ''));
    const room = maxCertificateUsers - (Object.keys(data).length - outdated.length);
    const added = seen.filter(([key]) => data[key] === undefined).slice(0, room);
    const known = seen.filter(([key]) => data[key] !== undefined);
    const changes = Object.fromEntries([...known, ...added].map(([key, user]) => [key, JSON.stringify(user)]));
    const removals = Object.fromEntries(outdated.map(key => [key, null]));
    const { namespace, name } = configMap;
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data: changes };
    if (exists)
      await this.#deps.client.patch(configMap, { type: 'merge', body: { data: { ...removals, ...changes } } });
    else await this.#deps.client.create(configMap, body);
    for (const [key, user] of seen) if (this.#seen.get(key) === user) this.#seen.delete(key);
  }

  #isOfOld(text: string): boolean {
    return text !== '' && userOf(text).issuer === this.#deps.oldName();
  }

  async #stored(): Promise<{ readonly data: Readonly<Record<string, string>>; readonly exists: boolean }> {
    try {
      const found = await this.#deps.client.get(configMap);
      return { data: (found['data'] ?? {}) as Record<string, string>, exists: true };
    } catch (error) {
      if (!isError(error, 'NotFound')) throw error;
      return { data: {}, exists: false };
    }
  }
}

const userOf = (text: string): CertificateUser => JSON.parse(text) as CertificateUser;
