import { setTimeout as pause } from 'node:timers/promises';
import { isError } from '@chandlery/api';
import { SmError } from '../../errors.ts';

/** Each round of a crowd at one row has a winner, so that most of a crowd is through by then. */
const attempts = 30;
const maxPauseMs = 50;
/** What another replica wrote beside the row that we lost may still be on its way. */
const pauseMs = 15;

/** Repeats decision and commit after a conflict with another writer. */
export async function retryConflicts<T>(decide: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await decide();
    } catch (thrown) {
      // An SmError of that name is a decision, not a lost race.
      const isRace = isError(thrown, 'Conflict') && !(thrown instanceof SmError);
      if (!isRace || attempt === attempts) throw thrown;
      // The pause grows with the attempts, so that competing writers spread out.
      await pause(pauseMs + Math.random() * Math.min(attempt * 2, maxPauseMs));
    }
  }
}
