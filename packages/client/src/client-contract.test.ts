import { describeClientContract } from './client-contract.ts';
import { openKernelClient } from './test-kernel-client.ts';

describeClientContract('in process', openKernelClient, { hasInitialEvents: true, canForgetHistory: true });
