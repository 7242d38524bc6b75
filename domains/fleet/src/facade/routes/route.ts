import type { AgentCall, FleetResponse, Method, OperatorCall, ProductCall, UserCall } from '../handlers/call.ts';
import type { UserRules } from '../middleware/admission.ts';

interface RouteBase {
  readonly method: Method;
  /** Below `/api/<product>_mgmt`, with parameters as `{id}`; `{collection}` stands for the product's id. */
  readonly path: string;
}

/** A route that every product has. The family says who is admitted. */
export type ProductRoute = RouteBase &
  (
    | {
        /** Any client; any client with a valid token; operators of the product. */
        readonly family: 'open' | 'token' | 'admin';
        handle(call: ProductCall): Promise<FleetResponse>;
      }
    | {
        /** Users of an organisation. */
        readonly family: 'user';
        readonly rules?: UserRules;
        handle(call: UserCall): Promise<FleetResponse>;
      }
    | {
        /** The agent of the cluster in the path. */
        readonly family: 'agent';
        handle(call: AgentCall): Promise<FleetResponse>;
      }
  );

/** A route for operators of the landscape, below `/api/fleet_mgmt`. */
export type LandscapeRoute = RouteBase & {
  readonly family: 'operator';
  handle(call: OperatorCall): Promise<FleetResponse>;
};
