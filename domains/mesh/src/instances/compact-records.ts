import { isJsonObject, type JsonObject, type KubeObject } from '@chandlery/api';
import {
  consumerClusterField,
  consumerField,
  type ServiceBinding,
  type ServiceInstance,
} from '@chandlery/brokers/kinds';

/** Keeps the fields of an instance that the mesh evaluates: a landscape may have a hundred thousand of them. */
export function compactInstance({ apiVersion, kind, metadata, spec, status }: ServiceInstance): ServiceInstance {
  const { name, platformId, referencedInstanceId } = spec;
  const { ready, listens } = status ?? {};
  return {
    apiVersion,
    kind,
    metadata: identityOf(metadata),
    spec: withoutUndefined({ name, platformId, referencedInstanceId }),
    status: withoutUndefined({ ready, listens }),
  };
}

/** Keeps the fields of a binding that the mesh evaluates. */
export function compactBinding({ apiVersion, kind, metadata, spec, status }: ServiceBinding): ServiceBinding {
  const bindResource = fieldsOf(spec.bindResource, [consumerField, consumerClusterField]);
  const context = fieldsOf(status?.context, ['platform', 'namespace']);
  return {
    apiVersion,
    kind,
    metadata: identityOf(metadata),
    spec: { instanceId: spec.instanceId, ...(bindResource && { bindResource }) },
    status: withoutUndefined({ ready: status?.ready, ...(bindResource && context && { context }) }),
  };
}

function identityOf(metadata: KubeObject['metadata']): KubeObject['metadata'] {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  return withoutUndefined({ name, namespace, uid, resourceVersion, deletionTimestamp });
}

/** Undefined when the value has none of the fields. */
function fieldsOf(value: unknown, names: readonly string[]): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const kept = names.flatMap(name => (value[name] === undefined ? [] : [[name, value[name]] as const]));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

const withoutUndefined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
