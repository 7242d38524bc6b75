import { isError, type JsonObject, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { type Informer, type StepResult, setCondition, terminalError } from '@chandlery/runtime';
import type { ServiceBinding, ServiceBroker, ServiceClass, ServiceInstance } from '../kinds.ts';
import type { Progress } from './lifecycle.ts';
import { decode, type OsbBrokers } from './osb-brokers.ts';

/** What the controllers of a cluster without service-catalog share. */
export interface ServicesDeps {
  readonly client: Client;
  readonly brokers: OsbBrokers;
  readonly logger: Logger;
  /** Identifies the cluster in contexts. */
  readonly clusterId: string;
  readonly pollMs: number;
  readonly retryMs: number;
  readonly serviceBrokers: Informer<ServiceBroker>;
  readonly serviceClasses: Informer<ServiceClass>;
  readonly serviceInstances: Informer<ServiceInstance>;
  readonly serviceBindings: Informer<ServiceBinding>;
}

/** Keeps objects until the broker has deleted their resource. */
export const servicesFinalizer = 'services.chandlery.io/broker';

/** So long an operation may take when the plan does not say: seven days. */
export const maxOperationMs = 7 * 24 * 3_600_000;

const secrets = { group: '', version: 'v1', plural: 'secrets' } as const;

interface WithParameters {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly parametersFrom?: readonly { readonly secretKeyRef: { readonly name: string; readonly key: string } }[];
}

/** The parameters of an order, with those that are in secrets. */
export async function readParameters(
  client: Pick<Client, 'get'>,
  namespace: string,
  { parameters = {}, parametersFrom = [] }: WithParameters,
): Promise<JsonObject> {
  let merged = { ...parameters } as JsonObject;
  for (const { secretKeyRef } of parametersFrom) {
    const secret = await readSecret(client, namespace, secretKeyRef.name);
    merged = { ...merged, ...parseParameters(secret, secretKeyRef) };
  }
  return merged;
}

async function readSecret(client: Pick<Client, 'get'>, namespace: string, name: string): Promise<KubeObject> {
  try {
    return await client.get({ ...secrets, namespace, name });
  } catch (error) {
    if (isError(error, 'NotFound'))
      throw new Error(`secret "${name}" with parameters does not exist`, { cause: error });
    throw error;
  }
}

function parseParameters(
  secret: KubeObject,
  { name, key }: { readonly name: string; readonly key: string },
): JsonObject {
  const data = (secret['data'] ?? {}) as Record<string, string>;
  try {
    const value = JSON.parse(decode(data[key])) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // The text may be a secret: the error does not repeat it.
  }
  throw terminalError(`key "${key}" of secret "${name}" is not a JSON object`);
}

/** States how far something is, and when to look again. */
export function report(
  object: KubeObject,
  progress: Exclude<Progress, { type: 'done' }>,
  { reason, now }: { readonly reason: string; readonly now: Date },
): StepResult {
  setCondition(object, { type: 'Ready', status: 'False', reason, message: progress.message }, now);
  return progress.retryAfterMs === undefined ? 'stop' : { retryAfterMs: progress.retryAfterMs };
}
