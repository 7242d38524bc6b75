import type { InstanceEndpoints } from '../model/instance-events.ts';
import type { ClusterRow, ConfiguredProduct, InstanceRow } from '../registry/fleet-registry.ts';

export type { ConfiguredProduct } from '../registry/fleet-registry.ts';

/** Who calls a public route. */
export interface FleetCaller {
  readonly username: string;
  readonly organisation: string;
  /** Undefined: the token had none. */
  readonly accountId: string | undefined;
  readonly isOrganisationAdmin: boolean;
}

/** What a create request asks for, of the right types and otherwise unchecked. */
export interface CreateInstanceRequest {
  readonly name: string;
  readonly cloudProvider: string | undefined;
  readonly region: string | undefined;
  readonly multiAz: boolean | undefined;
  readonly plan: string | undefined;
  /** Default: a new one. */
  readonly id?: string;
  /** The id of the service instance that it is. Default: it is not ordered as one. */
  readonly instance?: string;
}

/** What an administrator changes; undefined fields stay. */
export interface AdminPatchRequest {
  readonly productVersion: string | undefined;
  readonly operatorVersion: string | undefined;
  readonly suspended: boolean | undefined;
}

/** What an agent reports of one instance. */
export interface InstanceReport {
  readonly conditions: readonly ReportedCondition[];
  readonly versions: { readonly product: string | undefined; readonly operator: string | undefined };
  /** Undefined: not reported. */
  readonly routes: readonly ReportedRoute[] | undefined;
  readonly adminUrl: string | undefined;
  /** Default: not reported. */
  readonly endpoints?: InstanceEndpoints | undefined;
}

export interface ReportedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export interface ReportedRoute {
  readonly name: string;
  readonly prefix: string;
  readonly router: string;
}

/** What an agent reports of its cluster. */
export interface ClusterReport {
  readonly conditions: readonly ReportedCondition[];
  readonly operatorVersions: readonly {
    readonly version: string;
    readonly ready: boolean;
    readonly productVersions: readonly string[];
  }[];
  /** By instance type; undefined: not reported. */
  readonly capacity:
    | Readonly<Record<string, { readonly maxUnits: number; readonly remainingUnits: number }>>
    | undefined;
}

/**
 * The use cases behind the REST APIs. All reject with `FleetError`; what resolves is durable and visible in the
 * registry of this process. Handlers check the form of a request, actions everything else.
 */
export interface FleetActions {
  /** Validates in the order of the reference and registers an instance in one commit. */
  create(product: ConfiguredProduct, caller: FleetCaller, request: CreateInstanceRequest): Promise<InstanceRow>;
  /** Moves to `deprovision`; repeated calls change nothing. 403 (11) for a colleague who is neither owner nor administrator. */
  delete(product: ConfiguredProduct, caller: FleetCaller, id: string): Promise<void>;
  /** Any instance of the product. */
  adminDelete(product: ConfiguredProduct, id: string): Promise<void>;
  /** Gives an instance to another owner of the organisation; undefined changes nothing. */
  changeOwner(
    product: ConfiguredProduct,
    caller: FleetCaller,
    change: { readonly id: string; readonly owner: string | undefined },
  ): Promise<InstanceRow>;
  adminPatch(product: ConfiguredProduct, id: string, patch: AdminPatchRequest): Promise<InstanceRow>;
  /** Takes over what an agent says of instances; those that are not on the cluster are skipped and logged. */
  reportInstances(
    product: ConfiguredProduct,
    cluster: ClusterRow,
    reports: ReadonlyMap<string, InstanceReport>,
  ): Promise<void>;
  reportCluster(product: ConfiguredProduct, cluster: ClusterRow, report: ClusterReport): Promise<void>;
  /** Remembers when the agent last spoke. Cheap: durable at most every half minute. */
  agentSeen(product: ConfiguredProduct, cluster: ClusterRow): void;
  /** Remembers a user of an organisation, once; resolves when the user is known. Does not reject. */
  userSeen(caller: FleetCaller): Promise<void>;
}
