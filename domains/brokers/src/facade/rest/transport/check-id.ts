import { smError } from '../../../errors.ts';

const maxIdLength = 100;
/** Characters that have a meaning of their own in addresses (RFC 3986, reserved). */
const reserved = /[:/?#[\]@!$&'()*+,;=]/;
/** Neither visible nor allowed in an address. */
const invisible = /[\p{Cc}\p{Cs}\s]/u;
/** Clients resolve these path segments before sending, so such an id could never be requested. */
const steps: ReadonlySet<string> = new Set(['.', '..']);

/** Throws `BadRequest` for what can be no id. */
export function checkId(id: string): void {
  if (id === '') throw smError('BadRequest', 'an id may not be empty', { field: 'id' });
  if (id.length > maxIdLength)
    throw smError('BadRequest', `an id has at most ${maxIdLength} characters`, { field: 'id' });
  if (reserved.test(id) || invisible.test(id) || steps.has(id))
    throw smError('BadRequest', `${id} contains invalid character(s)`, { field: 'id' });
}
