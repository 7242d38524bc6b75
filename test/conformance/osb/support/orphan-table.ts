import type { Answer } from './osb-target.ts';

export type Verb = 'provision' | 'update' | 'bind' | 'deprovision' | 'unbind';

const isCreation = (verb: Verb): boolean => verb === 'provision' || verb === 'bind';

/**
 * Whether the specification requires a platform to delete the requested resource after a response, or after none,
 * because the broker may have it. The platform does not accept asynchronous responses, so a 202 is as wrong as any
 * other unexpected status.
 */
export function mustMitigate(verb: Verb, answer: Answer | undefined): boolean {
  if (answer === undefined) return isCreation(verb);
  const { status } = answer;
  if (status === 200) return false;
  if (status === 201) return isMalformed(answer) && isCreation(verb);
  const isUnclear = (status > 201 && status < 300) || status >= 500;
  return isUnclear && verb !== 'update';
}

/** Whether a platform can make nothing of it: no JSON object, or fields of the wrong type. */
function isMalformed({ body }: Answer): boolean {
  if (body === undefined) return true;
  const { operation, credentials } = body;
  const isText = operation === undefined || operation === null || typeof operation === 'string';
  return !isText || (credentials !== undefined && typeof credentials !== 'object');
}
