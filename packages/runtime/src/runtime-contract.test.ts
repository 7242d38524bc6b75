import { startTestPlane } from '@chandlery/testing';
import { describeRuntimeContract } from './runtime-contract.ts';

describeRuntimeContract('in process', startTestPlane);
