import type { JsonObject } from '@chandlery/api';
import type { BrokerConnection, BrokerRequest, BrokerResponse } from '../ports.ts';

/** The broker's own ids of a plan. */
export interface PlanIds {
  readonly serviceId: string;
  readonly planId: string;
}

/** A broker that keeps to the specification, and what the tests need of it. */
export interface OsbBrokerUnderTest extends AsyncDisposable {
  readonly connection: BrokerConnection;
  /** Its instances are there at once. */
  readonly syncPlan: PlanIds;
  /** Its instances come and go only when {@link finish} is called. */
  readonly slowPlan: PlanIds;
  /** Ends what is under way with an instance. */
  readonly finish: (instanceId: string) => void | Promise<void>;
  /** Whether it can say of a binding that there is none. */
  readonly knowsBindings: boolean;
}

export type Method = BrokerRequest['method'];

export type World = () => OsbBrokerUnderTest;
export type Call = (method: Method, path: string, body?: JsonObject) => Promise<BrokerResponse>;

/** The JSON object that was answered. */
export const bodyOf = ({ body }: BrokerResponse): JsonObject => JSON.parse(body.toString()) as JsonObject;

/** A whole request for an instance. */
export const provisionBody = ({ serviceId, planId }: PlanIds, more: JsonObject = {}): JsonObject => ({
  service_id: serviceId,
  plan_id: planId,
  organization_guid: 'org',
  space_guid: 'space',
  context: { platform: 'test', instance_name: 'x' },
  ...more,
});

export const idsQuery = ({ serviceId, planId }: PlanIds): string => `service_id=${serviceId}&plan_id=${planId}`;
