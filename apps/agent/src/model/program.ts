import type { JsonObject, JsonValue, KubeObject } from '@chandlery/api';
import { terminalError } from '@chandlery/runtime';
import type { InstanceSecrets, ManagedInstance } from './managed-instance.ts';
import { agentNames } from './names.ts';
import { type PlaceholderValues, placeholdersIn, render } from './render.ts';

/** How instances of a product are run: the objects of each, and the versions on offer. */
export interface Program {
  readonly objects: readonly JsonObject[];
  readonly operatorVersions: readonly { readonly version: string; readonly productVersions: readonly string[] }[];
}

/** What the objects of an instance have in common. */
export interface ObjectsContext {
  readonly product: string;
  readonly clusterId: string;
}

const secretPlaceholder = /^(tls|serviceAccounts)\./;
/** Kinds that run nothing while their instance is suspended. */
const scalableKinds: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'ReplicaSet']);

/** Whether a template contains secrets of instances. */
export const hasSecretPlaceholders = (template: unknown): boolean =>
  [...placeholdersIn(template as JsonValue)].some(name => secretPlaceholder.test(name));

/** The objects of an instance, rendered. Throws a terminal error for a program that cannot be rendered. */
export function objectsOf(program: Program, instance: ManagedInstance, context: ObjectsContext): readonly KubeObject[] {
  const values = valuesOf(instance, context);
  const objects = program.objects.map(template => prepare(render(template, values), instance, context));
  const ids = objects.map(objectId);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw terminalError(`the program has two objects ${twice}`);
  return objects;
}

/** An object that should be there. Where it contains secrets, something else stands in their place. */
export interface ExpectedObject {
  readonly object: KubeObject;
  readonly hasSecrets: boolean;
}

/** The objects of an instance as far as they are known without its secrets. Throws like `objectsOf`. */
export function expectedObjects(
  program: Program,
  instance: ManagedInstance,
  context: ObjectsContext,
): readonly ExpectedObject[] {
  const objects = objectsOf(program, { ...instance, secrets: unknownSecrets }, context);
  return objects.map((object, at) => ({ object, hasSecrets: hasSecretPlaceholders(program.objects[at]) }));
}

const unknownSecrets: InstanceSecrets = {
  tls: { cert: '', key: '' },
  serviceAccounts: Array.from({ length: 10 }, () => ({ name: '', principal: '', password: '' })),
};

/** Distinguishes objects of a namespace. */
export const objectId = ({ apiVersion, kind, metadata }: KubeObject): string =>
  `${apiVersion}/${kind}/${metadata.name ?? ''}`;

const valuesOf = (instance: ManagedInstance, { product, clusterId }: ObjectsContext): PlaceholderValues => ({
  id: instance.id,
  name: instance.name,
  namespace: instance.namespace,
  host: instance.host,
  placementId: instance.placementId,
  owners: instance.owners,
  instanceType: instance.instanceType,
  sizeId: instance.sizeId,
  product,
  clusterId,
  versions: { ...instance.versions },
  tls: instance.secrets.tls,
  serviceAccounts: instance.secrets.serviceAccounts.map(account => ({ ...account })),
});

/** Places an object in the instance's namespace, labels it, and scales it to nothing while the instance is suspended. */
function prepare(rendered: JsonValue, instance: ManagedInstance, { product }: ObjectsContext): KubeObject {
  const object = withEncodedSecrets(checkObject(rendered));
  const labels = { [agentNames.productLabel]: product, [agentNames.instanceLabel]: instance.id };
  const metadata = {
    ...object.metadata,
    namespace: instance.namespace,
    labels: { ...object.metadata.labels, ...labels },
  };
  const spec = object['spec'] as JsonObject | undefined;
  if (spec === undefined) return { ...object, metadata };
  const scaled = scalableKinds.has(object.kind) && instance.isSuspended ? { replicas: 0 } : {};
  return { ...object, metadata, spec: { ...spec, ...labelledTemplate(spec, labels), ...scaled } };
}

function checkObject(rendered: JsonValue): KubeObject {
  const { apiVersion, kind, metadata } = rendered as Partial<KubeObject>;
  const isObject = typeof apiVersion === 'string' && typeof kind === 'string' && typeof metadata?.name === 'string';
  if (!isObject) throw terminalError('an object of the program has no apiVersion, kind or metadata.name');
  if (kind === 'Namespace') throw terminalError('a program cannot contain a Namespace: instances have one already');
  return rendered as unknown as KubeObject;
}

/** Pods get the labels too, so that they are found. */
function labelledTemplate({ template }: JsonObject, labels: Readonly<Record<string, string>>): object {
  if (typeof template !== 'object' || template === null || Array.isArray(template)) return {};
  const { metadata = {} } = template as { metadata?: KubeObject['metadata'] };
  return { template: { ...template, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } } };
}

/** Server-side apply forgets the owner of `stringData`, so that keys would never be removed. */
function withEncodedSecrets(object: KubeObject): KubeObject {
  const { stringData, ...rest } = object;
  if (object.kind !== 'Secret' || stringData === undefined) return object;
  const encoded = Object.entries(stringData as Readonly<Record<string, string>>).map(
    ([key, value]) => [key, Buffer.from(value).toString('base64')] as const,
  );
  return { ...rest, data: { ...(object['data'] as object | undefined), ...Object.fromEntries(encoded) } };
}
