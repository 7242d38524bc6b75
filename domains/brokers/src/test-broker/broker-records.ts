import type { JsonObject } from '@chandlery/api';

/** What an operation is about. */
export type OperationType = 'provision' | 'update' | 'deprovision' | 'bind' | 'unbind';

/** An operation at the broker, in progress or ended. */
export interface BrokerOperation {
  /** What the platform hands back with each poll. */
  readonly id: string;
  readonly type: OperationType;
  state: 'in progress' | 'succeeded' | 'failed';
  /** How often it says "in progress" before it ends by itself. */
  pollsLeft: number;
  /** By what a repeated request is known. */
  readonly fingerprint: string;
  /** Besides `state`, in the answers to polls. */
  details: JsonObject;
  /** What becomes true when it succeeds. */
  readonly complete: () => void;
}

/** An instance at the broker. */
export interface BrokerInstance {
  readonly id: string;
  readonly serviceId: string;
  planId: string;
  readonly organizationGuid: string;
  readonly spaceGuid: string;
  parameters: JsonObject;
  context: JsonObject;
  readonly dashboardUrl: string;
  operation?: BrokerOperation;
}

/** A binding at the broker. */
export interface BrokerBinding {
  readonly id: string;
  readonly instanceId: string;
  readonly serviceId: string;
  readonly planId: string;
  readonly parameters: JsonObject;
  readonly bindResource: JsonObject;
  readonly predecessorId?: string;
  readonly credentials: JsonObject;
  operation?: BrokerOperation;
}

export const isUnderWay = (thing: { readonly operation?: BrokerOperation } | undefined): boolean =>
  thing?.operation?.state === 'in progress';

/** Whether the resource is still being created: it is not visible yet. */
export const isBeingMade = (thing: { readonly operation?: BrokerOperation }): boolean =>
  isUnderWay(thing) && (thing.operation?.type === 'provision' || thing.operation?.type === 'bind');

/** Whether its creation failed, so that only its remains are there. */
export const isWreck = ({ operation }: { readonly operation?: BrokerOperation }): boolean =>
  operation?.state === 'failed' && (operation.type === 'provision' || operation.type === 'bind');
