/** Why a document is refused. Validation ends with the first one, as Argo's does. */
export class Problem extends Error {}

/** Throws a problem. */
export function refuse(message: string): never {
  throw new Problem(message);
}

/** Runs a check; its problem gets what was being checked before its text. */
export function within<T>(prefix: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof Problem ? new Problem(prefix + error.message) : error;
  }
}
