import type { Client } from '@chandlery/client';
import type { RetainedRequest, RetainedService } from '../../kinds/index.ts';
import type { HeldRequest } from '../../model/retained-services/held-requests.ts';

/** The dependencies of the steps of retained services. All reads are live. */
export interface RetainedDeps {
  findRequest(request: RetainedRequest): Promise<HeldRequest | undefined>;
  deleteRequest(request: HeldRequest): Promise<void>;
  /**
   * Connects to the cluster of an AccessRequest, with its rights; undefined when the cluster is deleted. The caller
   * closes it.
   */
  open(request: HeldRequest): Promise<Client | undefined>;
  /** The number of other retained services of the provider. */
  othersOf(retained: RetainedService): Promise<number>;
}
