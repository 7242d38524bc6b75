import { compare } from 'bcryptjs';
import { smError } from '../../errors.ts';
import type { ComparePassword } from './password-thread.ts';

/** The lock-out of a credential after wrong passwords. */
export interface CheckLimits {
  /** Comparisons of one credential at a time. */
  readonly atOnce: number;
  /** How long a wrong password occupies its slot. */
  readonly penaltyMs: number;
}

const defaultLimits: CheckLimits = { atOnce: 2, penaltyMs: 2000 };

/**
 * Compares passwords with slow hashes, with bounded CPU time.
 *
 * Every client that knows a user name can trigger comparisons. Each credential therefore has few slots, and a wrong password
 * occupies its slot for a while. Identical concurrent requests share one comparison. Only credentials of a broker and
 * platform pair have slow hashes; those of platforms are random, and their fast hash needs no limit.
 */
export class PasswordChecker {
  readonly #limits: CheckLimits;
  readonly #isOf: ComparePassword;
  readonly #places = new Map<string, number>();
  readonly #underWay = new Map<string, Promise<number>>();

  /** Default: {@link defaultLimits}, and compared on this thread. */
  constructor(limits: CheckLimits = defaultLimits, isOf: ComparePassword = compareHere) {
    this.#limits = limits;
    this.#isOf = isOf;
  }

  /**
   * Which of the hashes the password belongs to; -1 for none. `question` names password and hashes together, without
   * showing them. Rejects with `TooManyRequests` when the credential has no place left.
   */
  async find(
    credentialId: string,
    question: string,
    { password, hashes }: { readonly password: string; readonly hashes: readonly string[] },
  ): Promise<number> {
    const known = this.#underWay.get(question);
    if (known !== undefined) return known;
    this.#enter(credentialId);
    const response = this.#compare(credentialId, password, hashes);
    this.#underWay.set(question, response);
    try {
      return await response;
    } finally {
      this.#underWay.delete(question);
    }
  }

  async #compare(credentialId: string, password: string, hashes: readonly string[]): Promise<number> {
    let found = -1;
    try {
      for (const [index, hash] of hashes.entries()) if (found < 0 && (await this.#isOf(password, hash))) found = index;
    } finally {
      if (found >= 0) this.#leave(credentialId);
      else setTimeout(() => this.#leave(credentialId), this.#limits.penaltyMs).unref();
    }
    return found;
  }

  #enter(credentialId: string): void {
    const taken = this.#places.get(credentialId) ?? 0;
    if (taken >= this.#limits.atOnce) throw tooMany(this.#limits);
    this.#places.set(credentialId, taken + 1);
  }

  #leave(credentialId: string): void {
    const taken = (this.#places.get(credentialId) ?? 1) - 1;
    if (taken > 0) this.#places.set(credentialId, taken);
    else this.#places.delete(credentialId);
  }
}

/** What is no hash belongs to no password. */
const compareHere: ComparePassword = (password, hash) => compare(password, hash).catch(() => false);

const tooMany = ({ penaltyMs }: CheckLimits) =>
  smError('TooManyRequests', 'too many wrong passwords were tried with this user name; come back later', {
    isRetryable: true,
    retryAfterSeconds: Math.ceil(penaltyMs / 1000),
  });
