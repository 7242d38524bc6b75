import { fleetError } from '../errors.ts';

const maxNameLength = 32;
const namePattern = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** Throws unless the text can be the name of an instance: too short, then too long, then its pattern. */
export function checkInstanceName(name: string): void {
  if (name.length === 0) throw fleetError(33, 'name is not valid. Minimum length 1 is required.');
  if (name.length > maxNameLength)
    throw fleetError(34, `name is not valid. Maximum length ${maxNameLength} is required.`);
  if (!namePattern.test(name)) throw fleetError(32, `name "${name}" is not valid: it must match ${namePattern.source}`);
}

/** The id of an instance's client at the identity provider: known before the client is made, so that none is lost. */
export const clientIdOf = (kind: string, instanceId: string): string => `${kind.toLowerCase()}-${instanceId}`;
