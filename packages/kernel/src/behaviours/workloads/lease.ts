import type { KubeObject } from '@chandlery/api';
import type { Behaviour } from '../behaviour.ts';
import { alignMicroTimes } from './micro-time.ts';

const alignTimes = (object: KubeObject): void => alignMicroTimes(object['spec'], ['acquireTime', 'renewTime']);

/** Leases: their times are read by clients of all languages. The numbers are the schema's business. */
export const leaseBehaviour: Behaviour = { prepareCreate: alignTimes, prepareUpdate: alignTimes };
