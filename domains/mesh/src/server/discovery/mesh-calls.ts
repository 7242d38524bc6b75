import { meshReloaded } from '../../errors.ts';
import type { OpenCall } from '../connections/connection.ts';

/**
 * Ends calls when the mesh that they are told of is closed, so that their clients connect anew. Thousands of calls share
 * one signal, on which there is one listener.
 */
export class MeshCalls {
  readonly #calls = new Map<AbortSignal, Set<OpenCall>>();

  /** The result is to be called when the call has ended. */
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
