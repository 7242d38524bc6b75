import type { Client } from '@chandlery/client';
import type { RetainedRequest, RetainedService } from '../../kinds/index.ts';
import type { HeldRequest } from '../../model/retained-services/held-requests.ts';

/** What the steps of retained services need from the world. All reads are live. */
export interface RetainedDeps {
  findRequest(request: RetainedRequest): Promise<HeldRequest | undefined>;
  deleteRequest(request: HeldRequest): Promise<void>;
  /** The cluster of an AccessRequest, with its rights; undefined when the cluster is gone. The caller closes it. */
  open(request: HeldRequest): Promise<Client | undefined>;
  /** How many other retained services of the provider there are. */
  othersOf(retained: RetainedService): Promise<number>;
}
