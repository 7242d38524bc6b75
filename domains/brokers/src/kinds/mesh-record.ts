import { consumerField } from './mesh-consumer.ts';

/** Label of the objects that meshes read: most instances and bindings have nothing to do with them. */
export const meshRecordLabel = 'brokers.chandlery.io/mesh';

interface Instance {
  readonly spec: { readonly referencedInstanceId?: unknown };
  readonly status: { readonly listens?: unknown };
}

/** The label of an instance that takes connections, or that refers to another one. */
export const meshLabelsOfInstance = ({ spec, status }: Instance): Record<string, string | undefined> => ({
  [meshRecordLabel]:
    status.listens !== undefined ? 'instance' : spec.referencedInstanceId !== undefined ? 'reference' : undefined,
});

interface Binding {
  readonly spec: { readonly bindResource?: unknown };
}

/** The label of a binding that names a service account. */
export const meshLabelsOfBinding = ({ spec }: Binding): Record<string, string | undefined> => {
  const resource = (spec.bindResource ?? {}) as Readonly<Record<string, unknown>>;
  return { [meshRecordLabel]: resource[consumerField] === undefined ? undefined : 'consumer' };
};
