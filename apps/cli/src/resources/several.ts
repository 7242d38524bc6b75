import { ChandleryError, isError } from '@chandlery/api';

/** After these the other objects would fail, too. */
const endOfAll = ['ConnectionFailed', 'UntrustedServer', 'Unauthorized', 'Interrupted'];

interface Failure {
  readonly label: string;
  readonly error: ChandleryError;
}

/** Collects what fails among several objects, so that the others are worked on. */
export class Failures {
  readonly #failed: Failure[] = [];
  readonly #isOneNamed: boolean;

  /** `isOneNamed`: whether the goal of the command names the object when it is the only one. Default false. */
  constructor({ isOneNamed = false }: { readonly isOneNamed?: boolean } = {}) {
    this.#isOneNamed = isOneNamed;
  }

  /** Runs what is done with one object. Rejects with what would make all others fail as well. */
  async attempt(label: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      if (!isError(thrown) || isError(thrown, ...endOfAll)) throw thrown;
      this.#failed.push({ label, error: thrown });
    }
  }

  /** Throws one error when any of `count` objects failed: each cause once, with the objects that it concerns. */
  assertNone(count: number): void {
    const [first] = this.#failed;
    if (first === undefined) return;
    const { error } = first;
    const byCause = Object.values(
      Object.groupBy(this.#failed, failure => `${failure.error.code} ${failure.error.message}`),
    );
    const causes = byCause.map(
      (same = []) => `${same.map(({ label }) => label).join(', ')}: ${same[0]?.error.message}`,
    );
    if (count === 1) throw this.#isOneNamed ? error : withMessage(error, causes.join());
    const message = `${this.#failed.length} of ${count} objects failed: ${causes.join('; ')}`;
    if (byCause.length === 1) throw withMessage(error, message);
    throw new ChandleryError(error.code, message, { cause: error });
  }
}

const withMessage = (error: ChandleryError, message: string): ChandleryError =>
  new ChandleryError(error.code, message, {
    cause: error,
    details: error.details,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  });
