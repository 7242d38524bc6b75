import { toError } from '@chandlery/api';
import { type Clock, LruCache } from '@chandlery/platform';
import { fleetError } from '../../errors.ts';
import type { TermsSettings } from '../../model/configuration/configuration.ts';
import type { AskTerms } from '../../ports.ts';

const rememberMs = 5 * 60 * 1000;
const retryAfterSeconds = 10;
const cacheSize = 10_000;

interface Remembered {
  readonly isRequired: boolean;
  readonly untilMs: number;
}

/** Checks that users have accepted the terms. Results are remembered for five minutes. */
export class TermsCheck {
  readonly #ask: AskTerms;
  readonly #clock: Clock;
  readonly #remembered = new LruCache<string, Remembered>(cacheSize);

  constructor({ ask, clock }: { readonly ask: AskTerms; readonly clock: Clock }) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** Throws error 12 for a user who has not accepted the terms, 503 when the terms service does not respond. */
  async check(settings: TermsSettings, username: string): Promise<void> {
    const key = JSON.stringify([settings.url, settings.siteCode, settings.eventCode, username]);
    const known = this.#remembered.get(key);
    const isFresh = known !== undefined && known.untilMs > this.#nowMs();
    const isRequired = isFresh ? known.isRequired : await this.#askAnew(key, settings, username);
    if (isRequired) throw fleetError(12, 'Required terms have not been accepted');
  }

  async #askAnew(key: string, settings: TermsSettings, username: string): Promise<boolean> {
    try {
      const { isRequired } = await this.#ask({ ...settings, username });
      this.#remembered.set(key, { isRequired, untilMs: this.#nowMs() + rememberMs });
      return isRequired;
    } catch (thrown) {
      throw fleetError(503, 'The terms service does not respond', { retryAfterSeconds, cause: toError(thrown) });
    }
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }
}
