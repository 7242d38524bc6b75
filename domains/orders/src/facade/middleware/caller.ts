import type { IncomingMessage } from 'node:http';

/** Who sends a request, with the rights of the onboarding cluster. */
export interface Caller {
  readonly username: string;
  /** May do everything, and so sees the records of all tenants. */
  readonly isOperator: boolean;
  /** The namespace of a service account; undefined for others. */
  readonly ownNamespace: string | undefined;
  /** Whether RBAC allows a verb on a resource of the group in a namespace. */
  readonly may: (verb: string, resource: string, namespace: string) => boolean;
  /** The namespaces in which a binding gives the caller anything. */
  readonly namespaces: () => readonly string[];
}

/** Finds out who sends a request; undefined when it has no valid credentials. */
export type FindCaller = (request: { readonly raw: IncomingMessage }) => Promise<Caller | undefined>;
