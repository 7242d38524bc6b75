import type { HttpRequest } from '@chandlery/http';

/** What somebody wants to do, in the words of RBAC. */
export interface ResourceAttributes {
  /** The logical cluster whose roles decide. */
  readonly cluster: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Resolves for those who may; rejects with `Unauthorized`, `Forbidden`, or `NotFound` for a cluster that they may not know of. */
export type Authorizer = (request: HttpRequest, wish: ResourceAttributes) => Promise<void>;
