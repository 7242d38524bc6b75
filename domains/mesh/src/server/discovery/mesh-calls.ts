import { meshReloaded } from '../../errors.ts';
import type { OpenCall } from '../connections/connection.ts';

/**
 * Ends the calls of a mesh when it is closed, so that their clients reconnect. Thousands of calls share one listener on
 * the signal.
 */
export class MeshCalls {
  readonly #calls = new Map<AbortSignal, Set<OpenCall>>();

  /** Adds a call. The returned function removes it, and is to be called when the call has ended. */
  add(closed: AbortSignal, call: OpenCall): () => void {
    if (closed.aborted) {
      call.end(meshReloaded());
      return () => undefined;
    }
    const calls = this.#calls.get(closed) ?? this.#follow(closed);
    calls.add(call);
    return () => void calls.delete(call);
  }

  #follow(closed: AbortSignal): Set<OpenCall> {
    const calls = new Set<OpenCall>();
    this.#calls.set(closed, calls);
    closed.addEventListener('abort', () => {
      this.#calls.delete(closed);
      for (const call of calls) call.end(meshReloaded());
    });
    return calls;
  }
}
