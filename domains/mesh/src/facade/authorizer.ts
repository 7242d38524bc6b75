import type { HttpRequest } from '@chandlery/http';

/** The access that a request needs, in terms of RBAC. */
export interface ResourceAttributes {
  /** The logical cluster whose roles are evaluated. */
  readonly cluster: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/**
 * Resolves when the request is authorized; rejects with `Unauthorized`, `Forbidden`, or `NotFound` for a cluster that
 * must not be disclosed.
 */
export type Authorizer = (request: HttpRequest, attributes: ResourceAttributes) => Promise<void>;
