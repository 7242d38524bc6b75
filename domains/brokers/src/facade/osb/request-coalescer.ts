import { type SmError, smError } from '../../errors.ts';
import { concurrencyError } from '../../model/osb/repeat-decision.ts';

/** Who does what with a resource, in this process. Between processes the store's preconditions decide. */
export interface RequestCoalescer {
  /**
   * Runs `work` exclusively for the key. An identical request (by fingerprint) waits and then runs its own work, which
   * finds the record of the first; a different request rejects with `ConcurrencyError`, or with `Conflict` when both
   * create the resource.
   */
  run<T>(key: string, request: Fingerprint | Creation, work: () => Promise<T>): Promise<T>;
}

/** Requests about an instance take turns, and so do those about a binding; the ids are what they take turns under. */
export interface OsbCoalescers {
  readonly instances: RequestCoalescer;
  readonly bindings: RequestCoalescer;
}

/** A request that creates something. */
interface Creation {
  readonly creation: Fingerprint;
}

/** A function for one that costs something: it is only asked when two requests meet, which is rare. */
type Fingerprint = string | (() => string);

interface Running {
  readonly request: Fingerprint | Creation;
  readonly ended: Promise<void>;
}

export function createRequestCoalescer(): RequestCoalescer {
  const running = new Map<string, Running>();
  return {
    async run(key, request, work) {
      for (let other = running.get(key); other !== undefined; other = running.get(key)) {
        if (textOf(other.request) !== textOf(request)) throw rejectionFor(request, other.request);
        await other.ended;
      }
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      running.set(key, { request, ended });
      try {
        return await work();
      } finally {
        running.delete(key);
        end();
      }
    },
  };
}

function textOf(request: Fingerprint | Creation): string {
  const fingerprint = isCreation(request) ? request.creation : request;
  return typeof fingerprint === 'string' ? fingerprint : fingerprint();
}

/** An id under which something else is being made is taken, and waiting would not help: OSB has a status of its own for that. */
function rejectionFor(request: Fingerprint | Creation, running: Fingerprint | Creation): SmError {
  if (!isCreation(request) || !isCreation(running)) return concurrencyError();
  return smError('Conflict', 'something with this id is being made, with other attributes');
}

const isCreation = (request: Fingerprint | Creation): request is Creation => typeof request === 'object';
