/**
 * A body of the REST APIs, with the fields that tests look into. Which of them a body has follows from the request: those
 * of others are undefined.
 */
export interface FleetBody {
  readonly id: string;
  readonly kind: string;
  readonly href: string;
  // Lists.
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly items: readonly FleetBody[];
  // Errors.
  readonly code: string;
  readonly reason: string;
  readonly detail: string;
  readonly operation_id: string;
  readonly problems: readonly { readonly path: string; readonly message: string }[];
  // Instances.
  readonly name: string;
  readonly owner: string;
  readonly status: string;
  readonly host: string;
  readonly region: string;
  readonly instance_type: string;
  readonly size_id: string;
  readonly expires_at: string | null;
  readonly failed_reason: string;
  readonly organisation_id: string;
  readonly cluster_id: string;
  readonly desired_dinosaur_version: string;
  readonly actual_dinosaur_version: string;
  readonly actual_dinosaur_operator_version: string;
  readonly dinosaur_upgrading: boolean;
  readonly routes: readonly object[];
  readonly routes_created: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  // Clusters, the audit trail, tokens.
  readonly last_seen_at: string | null;
  readonly username: string;
  readonly method: string;
  readonly url: string;
  readonly status_code: number;
  readonly remote_address: string;
  /** What was sent, as text. */
  readonly body: string;
  readonly cloud_provider: string;
  readonly supported_instance_type: string;
  readonly token: string;
  // What operators of the landscape see.
  readonly clusters: readonly Readonly<Record<string, string>>[];
  readonly draining: boolean;
  readonly type: string;
  readonly used: number;
  // Providers and regions.
  readonly enabled: boolean;
  readonly capacity: readonly { readonly instance_type: string; readonly available_sizes: readonly string[] }[];
  // What agents receive.
  readonly revision: string;
  readonly metadata: {
    readonly namespace: string;
    readonly annotations: Readonly<Record<string, string>>;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly deleted: boolean;
    readonly owners: readonly string[];
    readonly versions: Readonly<Record<string, string>>;
    readonly endpoint: { readonly host: string; readonly tls: { readonly cert: string; readonly key: string } | null };
    readonly serviceAccounts: readonly Readonly<Record<string, string>>[];
    readonly observability: Readonly<Record<string, string | null>>;
  };
  // Documents.
  readonly product: { readonly kind: string };
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly versions: readonly FleetBody[];
  readonly collections: readonly FleetBody[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
}
