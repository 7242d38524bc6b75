import type { JsonObject } from '@chandlery/api';
import { type SmError, type SmErrorCode, type SmErrorFacts, smError } from '../../errors.ts';
import type { OsbChange } from './osb-outcome.ts';

/** Adds what a broker says of an instance whose update or deletion failed. Brokers may say it of nothing else. */
export function withUsability(error: SmError, verb: OsbChange, body: JsonObject): SmError {
  const { instance_usable: usable, update_repeatable: repeatable } = body;
  const facts: SmErrorFacts = {
    ...(typeof usable === 'boolean' && (verb === 'update' || verb === 'deprovision') ? { instanceUsable: usable } : {}),
    ...(typeof repeatable === 'boolean' && verb === 'update' ? { updateRepeatable: repeatable } : {}),
  };
  if (Object.keys(facts).length === 0) return error;
  return smError(error.code as SmErrorCode, error.message, { ...error.facts, ...facts });
}
