import { keyedList } from '@chandlery/api';
import { Type } from 'typebox';

/** A field with a region or zone. */
export const place = (what: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 253, description: what }));

export const serviceName = Type.String({
  pattern: '^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$',
  description: 'As clients call it.',
});

/** Ports of a service, and where its machines listen. */
export const servicePorts = keyedList(
  Type.Object({
    name: Type.String({ default: '', maxLength: 63, description: "Of the service's port. Default: the unnamed one." }),
    port: Type.Integer({ minimum: 1, maximum: 65_535, description: 'Where machines listen.' }),
  }),
  ['name'],
  'Ports of the service, and where machines listen for them.',
);

/** The state of a machine in a cloud or inventory. */
export const machineState = Type.Enum(['Running', 'Starting', 'Draining', 'Unhealthy', 'Stopped'], {
  default: 'Running',
  description: 'Running takes traffic, Draining finishes what it has, all others take none.',
});
