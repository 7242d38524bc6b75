import { hash, randomBytes } from 'node:crypto';
import { LruCache } from '@chandlery/platform';
import { acceptedPairs } from '../../kinds/index.ts';
import type { CredentialRow, PlatformRow, Registry } from '../../model/rows.ts';
import type { PlatformCaller } from '../../ports.ts';
import type { PasswordChecker } from './password-checker.ts';
import { type Login, logInPlatform, platformOfUsername } from './platform-login.ts';

/** A caller that was authenticated, and whether the rows that proved it are unchanged. */
interface Admission {
  readonly caller: PlatformCaller;
  readonly holds: () => boolean;
}

/** What came last over a connection. */
interface Shown {
  readonly brokerId: string;
  readonly authorization: string;
  readonly digest: string;
}

const admissionCapacity = 20_000;
const rejectionCapacity = 5000;

/**
 * Knows platforms by what they show to a broker.
 *
 * Passwords are compared once: afterwards their keyed digests stand for them, as long as the rows that were asked are
 * still the same. Wrong ones are remembered apart, so that trying many cannot drive out those that are right.
 */
export class OsbCredentialCache {
  readonly #registry: Registry;
  readonly #checks: PasswordChecker;
  readonly #key = randomBytes(32).toString('base64');
  readonly #admissions = new LruCache<string, Admission>(admissionCapacity);
  readonly #rejections = new LruCache<string, CredentialRow>(rejectionCapacity);
  readonly #shown = new WeakMap<object, Shown>();

  constructor(registry: Registry, checks: PasswordChecker) {
    this.#registry = registry;
    this.#checks = checks;
  }

  /**
   * By what an `Authorization` header is remembered for a broker. Not the header itself: it holds a password, which is kept no
   * longer than the connection that has shown it. Platforms keep theirs open and show the same with every request.
   */
  digest(connection: object, brokerId: string, authorization: string): string {
    const shown = this.#shown.get(connection);
    if (shown?.authorization === authorization && shown.brokerId === brokerId) return shown.digest;
    const digest = hash('sha256', `${this.#key}${brokerId}\n${authorization}`, 'base64');
    this.#shown.set(connection, { brokerId, authorization, digest });
    return digest;
  }

  /** The caller that sent the same header before; undefined when it is unknown or the rows have changed since. */
  remembered(digest: string): PlatformCaller | undefined {
    const admission = this.#admissions.get(digest);
    if (admission === undefined) return undefined;
    if (admission.holds()) return admission.caller;
    this.#admissions.delete(digest);
    return undefined;
  }

  /** Who shows this login; undefined when it is no platform's. Rejects with `TooManyRequests`. */
  async find(brokerId: string, digest: string, login: Login): Promise<PlatformCaller | undefined> {
    const admission = (await this.#byCredential(brokerId, digest, login)) ?? this.#byPlatform(brokerId, login);
    if (admission !== undefined) this.#admissions.set(digest, admission);
    return admission?.caller;
  }

  async #byCredential(brokerId: string, digest: string, login: Login): Promise<Admission | undefined> {
    const row = this.#credentialOf(brokerId, login.username);
    if (row === undefined || this.#rejections.get(digest) === row) return undefined;
    const hashes = acceptedPairs(row.spec)
      .filter(({ username }) => username === login.username)
      .map(pair => pair.passwordHash);
    const question = `${digest} ${row.id} ${row.revision}`;
    const found = await this.#checks.find(row.id, question, { password: login.password, hashes });
    if (found < 0) {
      this.#rejections.set(digest, row);
      return undefined;
    }
    // The comparison is slow: if the row was activated or rotated meanwhile, the new row decides.
    if (this.#registry.credentials.get(row.id) !== row) return this.#byCredential(brokerId, digest, login);
    return this.#admit(row, login, hashes[found] !== row.spec.passwordHash);
  }

  #admit(row: CredentialRow, { username }: Login, usesOldCredentials: boolean): Admission | undefined {
    const { credentials, platforms } = this.#registry;
    const { platformId } = row.spec;
    const holds = () => credentials.get(row.id) === row && isReal(platforms.get(platformId));
    if (!holds()) return undefined;
    return { caller: { type: 'platform', platformId, username, usesOldCredentials }, holds };
  }

  /** A platform's own credentials do only until it has confirmed that it uses others for this broker. */
  #byPlatform(brokerId: string, login: Login): Admission | undefined {
    const platform = platformOfUsername(this.#registry, login.username);
    const caller = platform && logInPlatform(platform, login);
    if (platform === undefined || caller === undefined) return undefined;
    const { platforms } = this.#registry;
    const hashes = hashesOf(platform);
    const holds = () =>
      hasHashes(platforms.get(caller.platformId), hashes) && !this.#hasActiveCredential(caller.platformId, brokerId);
    return holds() ? { caller, holds } : undefined;
  }

  #credentialOf(brokerId: string, username: string): CredentialRow | undefined {
    for (const row of this.#registry.credentials.by('username', username))
      if (row.spec.brokerId === brokerId) return row;
    return undefined;
  }

  #hasActiveCredential(platformId: string, brokerId: string): boolean {
    for (const { spec } of this.#registry.credentials.by('platformId', platformId))
      if (spec.brokerId === brokerId && spec.isActive === true) return true;
    return false;
  }
}

const isReal = (platform: PlatformRow | undefined): boolean =>
  platform !== undefined && platform.spec.technical !== true;

/** What stands for a platform's credentials; other parts of the row change every few seconds. */
const hashesOf = ({ status }: PlatformRow) => ({
  current: status.credentials?.passwordHash,
  old: status.oldCredentials?.passwordHash,
});

const hasHashes = (platform: PlatformRow | undefined, { current, old }: ReturnType<typeof hashesOf>): boolean =>
  platform !== undefined &&
  platform.spec.technical !== true &&
  platform.status.credentials?.passwordHash === current &&
  platform.status.oldCredentials?.passwordHash === old;
