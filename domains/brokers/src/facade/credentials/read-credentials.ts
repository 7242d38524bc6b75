import type { JsonObject } from '@chandlery/api';
import { smError } from '../../errors.ts';
import { optionalText, requiredText } from '../../model/resources/body-fields.ts';

/** What a platform sends. */
export interface SentCredentials {
  readonly brokerId: string;
  readonly username: string;
  readonly passwordHash: string;
  /** The notification because of which it sends them. */
  readonly notificationId: string | undefined;
}

const bcryptHash = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
/** Every first call of a platform is compared with such a hash, in this process. */
const maxCost = 12;
const minCost = 4;
const maxUsernameLength = 255;

/** Reads the body of `PUT /v1/credentials`. Throws `BadRequest`. */
export function readCredentials(body: JsonObject): SentCredentials {
  return {
    brokerId: requiredText(body, 'broker_id'),
    username: checkedUsername(requiredText(body, 'username')),
    passwordHash: checkedHash(requiredText(body, 'password_hash')),
    notificationId: optionalText(body, 'notification_id') || undefined,
  };
}

function checkedUsername(username: string): string {
  const field = 'username';
  if (username.length > maxUsernameLength)
    throw smError('BadRequest', `username is longer than ${maxUsernameLength} characters`, { field });
  if (username.includes(':')) throw smError('BadRequest', 'username must not have a colon', { field });
  return username;
}

function checkedHash(hash: string): string {
  const field = 'password_hash';
  const [, cost] = bcryptHash.exec(hash) ?? [];
  if (cost === undefined) throw smError('BadRequest', 'password_hash must be a bcrypt hash', { field });
  if (Number(cost) > maxCost || Number(cost) < minCost)
    throw smError('BadRequest', `the cost of password_hash must be ${minCost} to ${maxCost}`, { field });
  return hash;
}
