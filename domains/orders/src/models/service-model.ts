import type { JsonObject } from '@chandlery/api';
import type { Json } from '../model/bodies/body-fields.ts';
import type { PlanInput, WorkflowPlan } from '../model/documents/plan.ts';
import type { HostedProcess } from '../model/hosting/hosted-process.ts';

/** Makes documents of orders. What it is given is verified. */
export interface OrderProvider {
  /** Returns the document of an order. Throws `invalid` with the field of the controller when there can be none. */
  plan(input: PlanInput): WorkflowPlan;
}

/** How the process of a service that runs all the time is made, and what it is for. */
export interface ServiceHosting {
  /** `jobs`: jobs are POSTed to `/`. `requests`: it is reached through the reverse proxy. */
  readonly takes: 'jobs' | 'requests';
  /** Throws `invalid`. */
  read(controller: Json): HostedProcess;
}

/** How services of one controller schema are executed. Adding a model takes nothing but one of these. */
export interface ServiceModel {
  /** `urn:ivcap:schema:service.basic.1`. */
  readonly schema: string;
  /** Other names of the same schema. Default none. */
  readonly aliases?: readonly string[];
  /** Whether `POST /1/orders` is possible. */
  readonly orderable: boolean;
  /** Whether jobs are possible. Default: as `orderable`. */
  readonly acceptsJobs?: boolean;
  /** The JSON Schema of the controller, besides its `$schema`. */
  readonly jsonSchema: JsonObject;
  /** How a service that cannot be ordered is used, as a sentence. Default: nothing is said. */
  readonly usage?: string;
  /** Checks what the JSON Schema cannot say. Throws `invalid`. Default: nothing is checked. */
  verifyController?(controller: Json): void;
  /** Absent: orders are impossible. */
  readonly provider?: OrderProvider;
  /** A process that runs as long as the service exists. Default: none. */
  readonly hosting?: ServiceHosting;
}
