/** What the service manager shows of anything. What a kind does not have is missing. */
export interface SmObject {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly ready?: boolean;
  readonly labels?: Readonly<Record<string, readonly string[]>>;
  readonly last_operation?: SmOperation;
  /** Of brokers. */
  readonly broker_url?: string;
  /** Of platforms and operations. */
  readonly type?: string;
  /** Of platforms when they are registered or get new ones, and of bindings. */
  readonly credentials?: unknown;
  /** Of offerings. */
  readonly broker_id?: string;
  /** Of plans. */
  readonly service_offering_id?: string;
  readonly schemas?: unknown;
  /** Of visibilities and instances. */
  readonly service_plan_id?: string;
  /** Of visibilities, instances and operations. */
  readonly platform_id?: string;
  readonly usable?: boolean;
  readonly shared?: boolean;
  /** Of bindings. */
  readonly service_instance_id?: string;
}

/** One creation, change or deletion. */
export interface SmOperation extends SmObject {
  readonly state?: string;
  readonly resource_id?: string;
  readonly resource_type?: string;
  readonly errors?: OperationErrors;
  /** Whether the same may succeed later. */
  readonly retryable?: boolean;
  /** Since when what it has left at the broker is being removed; year 1 when it is not. */
  readonly deletion_scheduled?: string;
}

/** An error in the words of the service manager. */
export interface SmErrorBody {
  readonly error?: string;
  readonly description?: string;
  readonly field?: string;
  readonly broker?: string;
  readonly broker_status?: number;
  readonly ids?: readonly string[];
}

/** Why an operation failed: one error, several of a platform's operation, or those of a cascade. */
export interface OperationErrors extends SmErrorBody {
  readonly errors?: readonly SmErrorBody[];
  readonly cascade_errors?: readonly CascadeError[];
}

/** Something that a cascade could not delete. */
export interface CascadeError {
  readonly resource_type?: string;
  readonly resource_id?: string;
  readonly message?: SmErrorBody;
}
