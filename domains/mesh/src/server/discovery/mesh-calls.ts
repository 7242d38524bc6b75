import { ChandleryError } from '@chandlery/api';
import type { OpenCall } from '../connections/connection.ts';

/**
 * Ends calls when the mesh that they are told of is gone, so that their clients connect anew. Thousands of calls share
 * one signal, on which there is one listener.
 */
export class CallsUntilGone {
  readonly #calls = new Map<AbortSignal, Set<OpenCall>>();

  /** The result is to be called when the call has ended. */
  add(gone: AbortSignal, call: OpenCall): () => void {
    if (gone.aborted) {
      call.end(startedAnew());
      return () => undefined;
    }
    const calls = this.#calls.get(gone) ?? this.#follow(gone);
    calls.add(call);
    return () => void calls.delete(call);
  }

  #follow(gone: AbortSignal): Set<OpenCall> {
    const calls = new Set<OpenCall>();
    this.#calls.set(gone, calls);
    gone.addEventListener('abort', () => {
      this.#calls.delete(gone);
      for (const call of calls) call.end(startedAnew());
    });
    return calls;
  }
}

/** Why somebody has to connect again. */
export const startedAnew = (): ChandleryError =>
  new ChandleryError('Stopped', 'the mesh has changed', { hint: 'Connect again' });
