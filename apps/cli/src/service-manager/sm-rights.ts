import type { Right } from '../command.ts';

const group = 'brokers.chandlery.io';

/** A right on service instances; the service manager shows nothing of what the caller may not read. */
export const instanceRight = (verb: string): Right => ({ verb, group, resource: 'serviceinstances' });

/** A right on service bindings. */
export const bindingRight = (verb: string): Right => ({ verb, group, resource: 'servicebindings' });
